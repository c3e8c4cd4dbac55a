"""The texts of the add-on in Chinese. Blender shows them if its language is Chinese."""

import bpy

LANGUAGE = "zh_HANS"
# Blender looks for the names of operators in a context of their own.
CONTEXTS = ("*", "Operator")

CHINESE = {
    "Send to Portamento": "发送到 Portamento",
    "Sends the armature with its meshes, its action and the ticked actions. Starts Portamento if it is not open": "发送骨架、其网格、当前动作以及勾选的动作。如果 Portamento 没有打开，则启动它",
    "Fetch Takes": "取回片段",
    "Fetches the takes of this armature as actions. Earlier actions stay in the file": "把此骨架的片段作为动作取回。先前的动作保留在文件中",
    "Choose an armature": "请选择一个骨架",
    "Actions": "动作",
    "Send": "发送",
    "Send this action with the armature": "随骨架一起发送此动作",
    "Root Motion": "根运动",
    "What the root motion of fetched takes moves": "取回的片段的根运动所移动的对象",
    "Bone": "骨骼",
    "The root motion stays on its bone": "根运动留在其骨骼上",
    "Object": "物体",
    "Path and heading of the root move the armature object": "根的路径和朝向移动骨架物体",
    "Live": "实时",
    "Update fetched actions whenever their takes change in Portamento": "每当 Portamento 中的片段更改时，更新取回的动作",
    "The program that is started if none is open": "没有打开的窗口时启动的程序",
    "Sent {armature} with {count} actions": "已发送 {armature} 及 {count} 个动作",
    "Fetched {count} takes": "已取回 {count} 个片段",
    "Portamento has no take of {armature}. Send it, and add a take there.": "Portamento 中没有 {armature} 的片段。请发送它，并在那里添加片段。",
    "Portamento is not running, or its remote control is off.": "Portamento 没有运行，或其远程控制已关闭。",
    "The request is too long for Portamento.": "请求对 Portamento 来说太长。",
    "Portamento did not answer: {error}.": "Portamento 没有应答：{error}。",
    "Portamento ended the connection without an answer.": "Portamento 未应答便结束了连接。",
    "Portamento refused the request.": "Portamento 拒绝了请求。",
    "{program} could not be started: {error}. Set its path in the preferences of the add-on.": "无法启动 {program}：{error}。请在插件的偏好设置中填写其路径。",
    "{program} ended at once. Start it by hand to see why.": "{program} 立即退出。请手动启动它以查看原因。",
    "{program} does not answer. Turn on File > Remote control in its window.": "{program} 没有应答。请在其窗口中开启“文件”→“远程控制”。",
    "The bone map names {bones}, which {armature} does not have.": "骨骼映射中的 {bones} 在 {armature} 中不存在。",
    "The take has no bone {bone}. Send {armature} again.": "片段中没有骨骼 {bone}。请重新发送 {armature}。",
    "{take}: the take has no animation": "{take}：片段没有动画",
    "{path} is no GLB.": "{path} 不是 GLB。",
}


def said(text, **values):
    """Returns a text in the language of Blender's reports, with values in place of their names."""
    return bpy.app.translations.pgettext_rpt(text).format(**values)


def register():
    chinese = {(context, text): translated for text, translated in CHINESE.items() for context in CONTEXTS}
    bpy.app.translations.register(__package__, {LANGUAGE: chinese})


def unregister():
    bpy.app.translations.unregister(__package__)
