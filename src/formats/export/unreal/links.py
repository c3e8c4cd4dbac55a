"""Places the links of a level in the open level of Unreal, as navigation link proxies.

Written by Portamento and rewritten with the routes. Run it in the editor, with the level open:

    py "PATH/NAME.links.py" [--label NAME] [--at X,Y,Z]

Links that it placed before are replaced. --at moves all of them, in Unreal's centimetres.
"""

import argparse
import json
import sys

import unreal

DATA = json.loads(%DATA%)


def main(arguments):
    parser = argparse.ArgumentParser(prog="NAME.links.py")
    parser.add_argument("--label", default=DATA["name"])
    parser.add_argument("--at", default="0,0,0")
    options = parser.parse_args(arguments)
    offset = [float(part) for part in options.at.split(",")]
    actors = unreal.get_editor_subsystem(unreal.EditorActorSubsystem)
    tag = unreal.Name("Portamento." + options.label)
    for actor in actors.get_all_level_actors():
        if isinstance(actor, unreal.NavLinkProxy) and tag in actor.get_editor_property("tags"):
            actors.destroy_actor(actor)
    for index, link in enumerate(DATA["links"]):
        place(actors, "{}_{}_{}".format(options.label, link["kind"], index), tag, link, offset)
    unreal.log("placed {} links".format(len(DATA["links"])))


def centimetres(point, offset):
    """A point in metres with Y up as one of Unreal: centimetres, Z up, left-handed."""
    x, y, z = point
    return [100.0 * value + moved for value, moved in zip((x, z, y), offset)]


def place(actors, label, tag, link, offset):
    """Adds a proxy at the start of a link, with the landing relative to it."""
    start, landing = [centimetres(link[end], offset) for end in ("start", "landing")]
    proxy = actors.spawn_actor_from_class(unreal.NavLinkProxy, unreal.Vector(*start))
    proxy.set_actor_label(label)
    proxy.set_editor_property("tags", [tag, unreal.Name(link["kind"])])
    connection = unreal.NavigationLink()
    connection.set_editor_property("left", unreal.Vector(0.0, 0.0, 0.0))
    connection.set_editor_property("right", unreal.Vector(*[to - at for at, to in zip(start, landing)]))
    connection.set_editor_property("direction", unreal.NavLinkDirection.LEFT_TO_RIGHT)
    proxy.set_editor_property("point_links", [connection])


if __name__ == "__main__":
    main(sys.argv[1:])
