"""Transforms of many frames at once. Rotations are quaternions w, x, y, z; matrices have the shape frames, 4, 4."""

import numpy as np

# Blender's axes (Z up) to those of glTF (Y up).
TO_Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])


def multiply(left, right):
    """Returns the products of quaternions."""
    (a, b, c, d), (e, f, g, h) = np.moveaxis(left, -1, 0), np.moveaxis(right, -1, 0)
    rows = [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e]
    return np.stack(rows, -1)


def conjugate(rotation):
    """Returns the inverse rotations."""
    return np.asarray(rotation) * np.array([1.0, -1, -1, -1])


def continuous(rotations):
    """Returns the rotations with signs such that neighbours are on the same side."""
    rotations = np.array(rotations, float)
    flips = np.sum(rotations[1:] * rotations[:-1], axis=1) < 0
    signs = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2, -1.0, 1.0)])
    return rotations * signs[:, None]


def matrices(locations, rotations, scales):
    """Returns the matrices of transforms."""
    w, x, y, z = np.moveaxis(np.asarray(rotations, float), -1, 0)
    result = np.zeros((len(w), 4, 4))
    result[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1)
    result[:, 1, :3] = np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1)
    result[:, 2, :3] = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)
    result[:, :3, :3] *= np.asarray(scales, float)[:, None, :]
    result[:, :3, 3] = locations
    result[:, 3, 3] = 1.0
    return result


def inverse(all_matrices):
    """Returns the inverses of affine matrices 4, 4 or of matrices 3, 3. Those of bones scaled to 0 are 0.

    NumPy's own function wakes a thread on every core, which then keeps it busy for a tenth of a second.
    """
    all_matrices = np.asarray(all_matrices, float)
    x, y, z = np.moveaxis(all_matrices[..., :3, :3], -1, 0)
    rows = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], -2)
    result = np.zeros_like(all_matrices)
    volumes = np.sum(x * rows[..., 0, :], -1)[..., None, None]
    result[..., :3, :3] = rows / np.where(volumes == 0, 1.0, volumes)
    if all_matrices.shape[-1] == 4:
        result[..., :3, 3] = -np.einsum("...ij,...j->...i", result[..., :3, :3], all_matrices[..., :3, 3])
        result[..., 3, 3] = 1.0
    return result


def decompose(all_matrices):
    """Returns locations, rotations and scales of matrices. Shear is left out."""
    all_matrices = np.asarray(all_matrices, float)
    basis = all_matrices[:, :3, :3]
    scales = np.linalg.norm(basis, axis=1)
    mirrored = np.linalg.det(basis) < 0
    scales = np.where(mirrored[:, None], -scales, scales)
    return all_matrices[:, :3, 3], quaternions(basis / np.where(scales == 0, 1.0, scales)[:, None, :]), scales


def quaternions(rotation):
    """Returns the quaternions of rotation matrices (Shepperd's method)."""
    m = rotation
    trace = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    squares = np.stack([trace, m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]], -1)
    largest = np.argmax(squares, axis=1)
    result = np.empty((len(m), 4))
    differences = [m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]]
    sums = {(1, 2): m[:, 0, 1] + m[:, 1, 0], (1, 3): m[:, 0, 2] + m[:, 2, 0], (2, 3): m[:, 1, 2] + m[:, 2, 1]}
    for case in range(4):
        rows = largest == case
        if not rows.any():
            continue
        values = [1 + trace] if case == 0 else [differences[case - 1]]
        for axis in (1, 2, 3):
            if case == 0:
                values.append(differences[axis - 1])
            elif axis == case:
                values.append(1 + 2 * squares[:, axis] - trace)
            else:
                values.append(sums[min(axis, case), max(axis, case)])
        result[rows] = np.stack(values, -1)[rows]
    return result / np.linalg.norm(result, axis=1, keepdims=True)
