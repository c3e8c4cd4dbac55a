// Imports the clip sets in the folder above this one. Written by Portamento; rewritten with every export.
//
// NAME.set.json describes a set. Each FBX that it names gets loop, root transform, events and curves, and the set becomes
// NAME.controller: a blend tree for a ring, states and transitions for a chain or strikes.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEditor.Animations;
using UnityEngine;

namespace Portamento
{
    [Serializable]
    public class SetIndex
    {
        public int version;
        public string name;
        public string kind;
        public Member[] members;
        public BlendSpace blend_space;
        public Transition[] transitions;
    }

    [Serializable]
    public class Member
    {
        public string file;
        public string clip;
        public bool loop;
        public float seconds;
        public bool in_place;
        public float travel_m;
        public float climb_m;
        public float turn_deg;
        public Foot[] feet;
        public Distance distance;
        public Event[] events;
    }

    [Serializable]
    public class Foot
    {
        public string name;
        public Contact[] contacts;
    }

    [Serializable]
    public class Contact
    {
        public float begin;
        public float end;
    }

    [Serializable]
    public class Distance
    {
        public float[] times;
        public float[] metres;
    }

    [Serializable]
    public class Event
    {
        public string name;
        public float time;
    }

    [Serializable]
    public class BlendSpace
    {
        public Axis[] axes;
        public Sample[] samples;
    }

    [Serializable]
    public class Axis
    {
        public string name;
    }

    [Serializable]
    public class Sample
    {
        public int member;
        public float[] position;
    }

    [Serializable]
    public class Transition
    {
        public int from;
        public int to;
        public string begins;
        public string trigger;
        public float fade_s;
    }

    public class SetImporter : AssetPostprocessor
    {
        const string IndexEnding = ".set.json";
        const int Version = 1;
        // Method of a component beside the Animator that receives events; a missing one is no error.
        const string EventMethod = "OnClipEvent";
        const string DistanceCurve = "distance";
        // Motion up to which the clip stays in place, as in the checks of a contract.
        const float InPlaceMetres = 0.02f;
        const float InPlaceDegrees = 2f;

        void OnPreprocessAnimation()
        {
            var importer = (ModelImporter)assetImporter;
            var members = Indexes(FolderOf(assetPath)).SelectMany(entry => entry.Value.members)
                .Where(member => member.file == Path.GetFileName(assetPath)).ToList();
            if (members.Count == 0)
            {
                return;
            }
            var clips = importer.defaultClipAnimations;
            foreach (var clip in clips)
            {
                var found = members.FirstOrDefault(member => member.clip == clip.takeName);
                if (found == null && clips.Length == 1)
                {
                    found = members[0];
                }
                if (found != null)
                {
                    Configure(clip, found);
                }
            }
            importer.clipAnimations = clips;
        }

        static void OnPostprocessAllAssets(string[] imported, string[] deleted, string[] moved, string[] movedFrom)
        {
            var isOfSet = new Func<string, bool>(path =>
                path.EndsWith(IndexEnding) || path.EndsWith(".fbx", StringComparison.OrdinalIgnoreCase));
            foreach (var folder in imported.Concat(moved).Where(isOfSet).Select(FolderOf).Distinct())
            {
                foreach (var entry in Indexes(folder))
                {
                    BuildController(folder, entry.Key, entry.Value);
                }
            }
        }

        static string FolderOf(string path)
        {
            return Path.GetDirectoryName(path).Replace('\\', '/');
        }

        // The sets of a folder by the name of their file without its ending.
        static SortedDictionary<string, SetIndex> Indexes(string folder)
        {
            var found = new SortedDictionary<string, SetIndex>(StringComparer.Ordinal);
            foreach (var path in Directory.GetFiles(folder, "*" + IndexEnding))
            {
                var index = JsonUtility.FromJson<SetIndex>(File.ReadAllText(path));
                if (index == null || index.version != Version)
                {
                    Debug.LogWarning(path + " is no set that this script can read. Export it again with its script.");
                    continue;
                }
                var name = Path.GetFileName(path);
                found[name.Substring(0, name.Length - IndexEnding.Length)] = index;
            }
            return found;
        }

        static void Configure(ModelImporterClipAnimation clip, Member member)
        {
            clip.name = member.clip;
            clip.loopTime = member.loop;
            // The loop is closed already.
            clip.loopPose = false;
            clip.lockRootPositionXZ = member.in_place || member.travel_m < InPlaceMetres;
            clip.lockRootHeightY = Mathf.Abs(member.climb_m) < InPlaceMetres;
            clip.lockRootRotation = Mathf.Abs(member.turn_deg) < InPlaceDegrees;
            clip.keepOriginalPositionXZ = true;
            clip.keepOriginalPositionY = true;
            clip.keepOriginalOrientation = true;
            // Times of imported events and curves are fractions of the clip.
            var seconds = Mathf.Max(member.seconds, 1e-6f);
            clip.events = member.events.Select(known => new AnimationEvent
            {
                functionName = EventMethod,
                stringParameter = known.name,
                time = known.time / seconds,
                messageOptions = SendMessageOptions.DontRequireReceiver,
            }).ToArray();
            var curves = member.feet.Select(foot => Curve(foot.name, ContactCurve(foot, seconds))).ToList();
            if (member.distance.times.Length > 0)
            {
                var keys = member.distance.times.Zip(member.distance.metres, (time, left) => new Keyframe(time / seconds, left));
                curves.Add(Curve(DistanceCurve, new AnimationCurve(keys.ToArray())));
            }
            clip.curves = curves.ToArray();
        }

        static ClipAnimationInfoCurve Curve(string name, AnimationCurve curve)
        {
            return new ClipAnimationInfoCurve { name = name, curve = curve };
        }

        // A curve that is 1 while the foot stands and 0 elsewhere.
        static AnimationCurve ContactCurve(Foot foot, float seconds)
        {
            var values = new SortedDictionary<float, float> { { 0f, 0f } };
            foreach (var contact in foot.contacts.OrderBy(contact => contact.begin))
            {
                values[contact.begin / seconds] = 1f;
                if (contact.end < seconds)
                {
                    values[contact.end / seconds] = 0f;
                }
            }
            var step = float.PositiveInfinity;
            return new AnimationCurve(values.Select(key => new Keyframe(key.Key, key.Value, step, step)).ToArray());
        }

        static void BuildController(string folder, string name, SetIndex index)
        {
            var motions = index.members.Select(member => LoadClip(folder, member)).ToArray();
            var missing = Array.IndexOf(motions, null);
            if (missing >= 0)
            {
                Debug.LogWarning("The set " + name + " has no controller, because the clip " + index.members[missing].clip + " is not imported.");
                return;
            }
            var hasSpace = index.blend_space != null && index.blend_space.samples != null && index.blend_space.samples.Length > 0;
            if (!hasSpace && index.transitions.Length == 0)
            {
                return;
            }
            var controller = EmptyController(folder + "/" + name + ".controller");
            if (hasSpace)
            {
                AddBlendTree(controller, name, index, motions);
            }
            else
            {
                AddStates(controller, index, motions);
            }
            EditorUtility.SetDirty(controller);
            AssetDatabase.SaveAssets();
        }

        static AnimationClip LoadClip(string folder, Member member)
        {
            var clips = AssetDatabase.LoadAllAssetsAtPath(folder + "/" + member.file).OfType<AnimationClip>();
            return clips.FirstOrDefault(clip => clip.name == member.clip);
        }

        // An existing controller is emptied, so that scenes keep their reference to it.
        static AnimatorController EmptyController(string path)
        {
            var controller = AssetDatabase.LoadAssetAtPath<AnimatorController>(path);
            if (controller == null)
            {
                return AnimatorController.CreateAnimatorControllerAtPath(path);
            }
            foreach (var child in controller.layers[0].stateMachine.states)
            {
                controller.layers[0].stateMachine.RemoveState(child.state);
            }
            foreach (var parameter in controller.parameters)
            {
                controller.RemoveParameter(parameter);
            }
            return controller;
        }

        static void AddBlendTree(AnimatorController controller, string name, SetIndex index, AnimationClip[] motions)
        {
            var space = index.blend_space;
            foreach (var axis in space.axes)
            {
                controller.AddParameter(axis.name, AnimatorControllerParameterType.Float);
            }
            BlendTree tree;
            var state = controller.CreateBlendTreeInController(StateName(name), out tree, 0);
            var isPlane = space.axes.Length > 1;
            tree.blendType = isPlane ? BlendTreeType.FreeformCartesian2D : BlendTreeType.Simple1D;
            tree.useAutomaticThresholds = false;
            tree.blendParameter = space.axes[0].name;
            if (isPlane)
            {
                tree.blendParameterY = space.axes[1].name;
            }
            // A blend tree of one axis needs increasing thresholds.
            foreach (var sample in space.samples.OrderBy(sample => isPlane ? 0f : sample.position[0]))
            {
                var motion = motions[sample.member];
                if (isPlane)
                {
                    tree.AddChild(motion, new Vector2(sample.position[0], sample.position[1]));
                }
                else
                {
                    tree.AddChild(motion, sample.position[0]);
                }
            }
            controller.layers[0].stateMachine.defaultState = state;
        }

        static void AddStates(AnimatorController controller, SetIndex index, AnimationClip[] motions)
        {
            var machine = controller.layers[0].stateMachine;
            var states = new List<AnimatorState>();
            foreach (var member in index.members)
            {
                var position = new Vector3(300f, 80f * (states.Count + 1), 0f);
                var state = machine.AddState(machine.MakeUniqueStateName(StateName(member.clip)), position);
                state.motion = motions[states.Count];
                states.Add(state);
            }
            machine.defaultState = states[index.transitions[0].from];
            foreach (var change in index.transitions)
            {
                var transition = states[change.from].AddTransition(states[change.to]);
                transition.hasExitTime = change.begins == "at_end";
                transition.exitTime = 1f;
                transition.hasFixedDuration = true;
                transition.duration = change.fade_s;
                if (change.trigger == "request")
                {
                    var trigger = "to " + states[change.to].name;
                    controller.AddParameter(trigger, AnimatorControllerParameterType.Trigger);
                    transition.AddCondition(AnimatorConditionMode.If, 0f, trigger);
                }
            }
        }

        // A point would separate the names of nested states.
        static string StateName(string name)
        {
            return name.Replace('.', '_').Replace('/', '_');
        }
    }
}
