// The documented part of Unity's API that the script uses. Calls are printed; any other name does not compile.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;

namespace UnityEngine
{
    public class Object { public string name { get; set; } }
    public class Motion : Object { }
    public sealed class AnimationClip : Motion { }
    public class RuntimeAnimatorController : Object { }
    public enum SendMessageOptions { RequireReceiver = 0, DontRequireReceiver = 1 }
    public sealed class AnimationEvent
    {
        public string functionName { get; set; }
        public string stringParameter { get; set; }
        public float time { get; set; }
        public SendMessageOptions messageOptions { get; set; }
    }
    public struct Keyframe
    {
        public float time, value, inTangent, outTangent;
        public Keyframe(float time, float value) : this(time, value, 0f, 0f) { }
        public Keyframe(float time, float value, float inTangent, float outTangent)
        {
            this.time = time;
            this.value = value;
            this.inTangent = inTangent;
            this.outTangent = outTangent;
        }
    }
    public class AnimationCurve
    {
        public Keyframe[] keys { get; set; }
        public AnimationCurve(params Keyframe[] keys) { this.keys = keys; }
    }
    public struct Vector2 { public float x, y; public Vector2(float x, float y) { this.x = x; this.y = y; } }
    public struct Vector3 { public float x, y, z; public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; } }
    public static class Mathf
    {
        public static float Abs(float f) { return Math.Abs(f); }
        public static float Max(float a, float b) { return Math.Max(a, b); }
    }
    public static class Debug { public static void LogWarning(object message) { Stub.Log("warning", message); } }
    public enum AnimatorControllerParameterType { Float = 1, Int = 3, Bool = 4, Trigger = 9 }
    public class AnimatorControllerParameter { public string name { get; set; } public AnimatorControllerParameterType type { get; set; } }

    // Like Unity's: public fields of serializable classes, arrays that are not nested, missing fields at their default.
    public static class JsonUtility
    {
        public static T FromJson<T>(string json)
        {
            var at = 0;
            return (T)As(typeof(T), Parse(json, ref at));
        }

        static object As(Type type, object value)
        {
            if (type.IsArray)
            {
                if (type.GetElementType().IsArray) throw new Exception("Unity reads no nested arrays");
                var items = (List<object>)value;
                var array = Array.CreateInstance(type.GetElementType(), items.Count);
                for (var i = 0; i < items.Count; i++) array.SetValue(As(type.GetElementType(), items[i]), i);
                return array;
            }
            var fields = value as Dictionary<string, object>;
            if (fields == null) return Convert.ChangeType(value, type, CultureInfo.InvariantCulture);
            if (!type.IsDefined(typeof(SerializableAttribute), false)) throw new Exception(type + " is not serializable");
            var made = Activator.CreateInstance(type);
            foreach (var field in type.GetFields(BindingFlags.Public | BindingFlags.Instance))
            {
                object found;
                if (fields.TryGetValue(field.Name, out found)) field.SetValue(made, As(field.FieldType, found));
            }
            return made;
        }

        static void Blank(string text, ref int at) { while (char.IsWhiteSpace(text[at])) at++; }

        static object Parse(string text, ref int at)
        {
            Blank(text, ref at);
            if (text[at] == '"') return Quoted(text, ref at);
            if (text[at] == '{' || text[at] == '[')
            {
                var isObject = text[at++] == '{';
                var fields = new Dictionary<string, object>();
                var items = new List<object>();
                for (Blank(text, ref at); text[at] != '}' && text[at] != ']'; Blank(text, ref at))
                {
                    if (text[at] == ',') { at++; continue; }
                    if (!isObject) { items.Add(Parse(text, ref at)); continue; }
                    var name = Quoted(text, ref at);
                    Blank(text, ref at);
                    at++;
                    fields[name] = Parse(text, ref at);
                }
                at++;
                return isObject ? (object)fields : items;
            }
            var start = at;
            while (at < text.Length && ",]} \r\n\t".IndexOf(text[at]) < 0) at++;
            var word = text.Substring(start, at - start);
            if (word == "true" || word == "false") return word == "true";
            return double.Parse(word, CultureInfo.InvariantCulture);
        }

        static string Quoted(string text, ref int at)
        {
            var made = new StringBuilder();
            for (at++; text[at] != '"'; at++)
            {
                if (text[at] != '\\') { made.Append(text[at]); continue; }
                var c = text[++at];
                if (c == 'u') { made.Append((char)Convert.ToInt32(text.Substring(at + 1, 4), 16)); at += 4; }
                else made.Append("bfnrt".IndexOf(c) >= 0 ? "\b\f\n\r\t"["bfnrt".IndexOf(c)] : c);
            }
            at++;
            return made.ToString();
        }
    }
}

namespace UnityEditor
{
    using UnityEngine;

    public class AssetImporter { }
    public class ModelImporter : AssetImporter
    {
        public ModelImporterClipAnimation[] clipAnimations { get; set; }
        public ModelImporterClipAnimation[] defaultClipAnimations { get; set; }
    }
    public class ModelImporterClipAnimation
    {
        public string name { get; set; }
        public string takeName { get; set; }
        public bool loopTime { get; set; }
        public bool loopPose { get; set; }
        public bool lockRootRotation { get; set; }
        public bool lockRootHeightY { get; set; }
        public bool lockRootPositionXZ { get; set; }
        public bool keepOriginalOrientation { get; set; }
        public bool keepOriginalPositionY { get; set; }
        public bool keepOriginalPositionXZ { get; set; }
        public AnimationEvent[] events { get; set; }
        public ClipAnimationInfoCurve[] curves { get; set; }
    }
    public struct ClipAnimationInfoCurve { public string name; public AnimationCurve curve; }
    public class AssetPostprocessor { public AssetImporter assetImporter { get; set; } public string assetPath { get; set; } }
    public static class EditorUtility { public static void SetDirty(Object target) { } }
    public static class AssetDatabase
    {
        internal static readonly Dictionary<string, List<Object>> Assets = new Dictionary<string, List<Object>>();
        public static Object[] LoadAllAssetsAtPath(string assetPath)
        {
            return Assets.ContainsKey(assetPath) ? Assets[assetPath].ToArray() : new Object[0];
        }
        public static T LoadAssetAtPath<T>(string assetPath) where T : Object
        {
            return LoadAllAssetsAtPath(assetPath).OfType<T>().FirstOrDefault();
        }
        public static void SaveAssets() { Stub.Log("save"); }
    }
}

namespace UnityEditor.Animations
{
    using UnityEngine;

    public enum AnimatorConditionMode { If = 1, IfNot = 2, Greater = 3, Less = 4, Equals = 6, NotEqual = 7 }
    public enum BlendTreeType { Simple1D, SimpleDirectional2D, FreeformDirectional2D, FreeformCartesian2D, Direct }
    public class BlendTree : Motion
    {
        public BlendTreeType blendType { get; set; }
        public bool useAutomaticThresholds { get; set; }
        public string blendParameter { get; set; }
        public string blendParameterY { get; set; }
        public void AddChild(Motion motion, Vector2 position) { Stub.Log("child", motion.name, position.x, position.y); }
        public void AddChild(Motion motion, float threshold) { Stub.Log("child", motion.name, threshold); }
    }
    public class AnimatorTransitionBase : Object
    {
        public void AddCondition(AnimatorConditionMode mode, float threshold, string parameter) { Stub.Log("condition", mode, parameter); }
    }
    public class AnimatorStateTransition : AnimatorTransitionBase
    {
        internal string From, To;
        public bool hasExitTime { get; set; }
        public float exitTime { get; set; }
        public bool hasFixedDuration { get; set; }
        public float duration { get; set; }
    }
    public class AnimatorState : Object
    {
        internal readonly List<AnimatorStateTransition> All = new List<AnimatorStateTransition>();
        public Motion motion { get; set; }
        public AnimatorStateTransition AddTransition(AnimatorState destinationState)
        {
            All.Add(new AnimatorStateTransition { From = name, To = destinationState.name });
            return All.Last();
        }
    }
    public struct ChildAnimatorState { public AnimatorState state; public Vector3 position; }
    public class AnimatorStateMachine : Object
    {
        internal readonly List<AnimatorState> All = new List<AnimatorState>();
        public ChildAnimatorState[] states { get { return All.Select(state => new ChildAnimatorState { state = state }).ToArray(); } }
        public AnimatorState defaultState { get; set; }
        public AnimatorState AddState(string name, Vector3 position) { All.Add(new AnimatorState { name = name }); return All.Last(); }
        public void RemoveState(AnimatorState state) { All.Remove(state); Stub.Log("remove", state.name); }
        public string MakeUniqueStateName(string name)
        {
            var made = name;
            for (var i = 0; All.Any(state => state.name == made); i++) made = name + " " + i;
            return made;
        }
    }
    public class AnimatorControllerLayer { public AnimatorStateMachine stateMachine { get; set; } }
    public class AnimatorController : RuntimeAnimatorController
    {
        readonly List<AnimatorControllerParameter> all = new List<AnimatorControllerParameter>();
        public AnimatorControllerLayer[] layers { get; set; }
        public AnimatorControllerParameter[] parameters { get { return all.ToArray(); } }
        public static AnimatorController CreateAnimatorControllerAtPath(string path)
        {
            var layer = new AnimatorControllerLayer { stateMachine = new AnimatorStateMachine() };
            var made = new AnimatorController { layers = new[] { layer } };
            AssetDatabase.Assets[path] = new List<Object> { made };
            Stub.Log("controller", Path.GetFileName(path));
            return made;
        }
        public void AddParameter(string name, AnimatorControllerParameterType type)
        {
            if (all.Any(known => known.name == name)) throw new Exception("parameter exists: " + name);
            all.Add(new AnimatorControllerParameter { name = name, type = type });
            Stub.Log("parameter", name, type);
        }
        public void RemoveParameter(AnimatorControllerParameter parameter) { all.Remove(parameter); }
        public AnimatorState CreateBlendTreeInController(string name, out BlendTree tree, int layerIndex)
        {
            tree = new BlendTree { name = name };
            var state = layers[layerIndex].stateMachine.AddState(name, new Vector3());
            state.motion = tree;
            return state;
        }
    }
}

// Imports every file that the sets of a folder name, as the editor does, and prints what was set.
public static class Stub
{
    public static void Log(params object[] words)
    {
        Console.WriteLine("[" + string.Join(",", words.Select(Json)) + "]");
    }

    static string Json(object value)
    {
        if (value is bool) return (bool)value ? "true" : "false";
        if (value is float)
        {
            var number = (float)value;
            return float.IsInfinity(number) ? "\"inf\"" : number.ToString("R", CultureInfo.InvariantCulture);
        }
        if (value is Array) return "[" + string.Join(",", ((IEnumerable)value).Cast<object>().Select(Json)) + "]";
        return "\"" + string.Concat(value.ToString().Select(c => "\\u" + ((int)c).ToString("x4"))) + "\"";
    }

    public static void Main(string[] arguments)
    {
        var folder = arguments[0];
        var files = Directory.GetFiles(folder, "*.fbx").OrderBy(path => path, StringComparer.Ordinal).ToArray();
        foreach (var file in files)
        {
            // The file of the test has the names of its clips, one per line.
            var takes = File.ReadAllText(file).Split('\u0001');
            Import(file, takes);
            var clips = takes.Select(take => (UnityEngine.Object)new UnityEngine.AnimationClip { name = take });
            UnityEditor.AssetDatabase.Assets[file] = clips.ToList();
        }
        for (var round = 0; round < int.Parse(arguments[1]); round++)
        {
            Call("OnPostprocessAllAssets", null, files, new string[0], new string[0], new string[0]);
        }
        foreach (var made in UnityEditor.AssetDatabase.Assets.Values.SelectMany(all => all).OfType<UnityEditor.Animations.AnimatorController>()) Print(made);
    }

    static void Import(string file, string[] takes)
    {
        var clips = takes.Select(take => new UnityEditor.ModelImporterClipAnimation { takeName = take, name = take }).ToArray();
        var importer = new UnityEditor.ModelImporter { defaultClipAnimations = clips };
        Call("OnPreprocessAnimation", new Portamento.SetImporter { assetImporter = importer, assetPath = file });
        foreach (var clip in importer.clipAnimations ?? new UnityEditor.ModelImporterClipAnimation[0])
        {
            Log("clip", clip.name, clip.loopTime, clip.loopPose, clip.lockRootPositionXZ, clip.lockRootHeightY, clip.lockRootRotation);
            foreach (var known in clip.events) Log("event", clip.name, known.functionName, known.stringParameter, known.time);
            foreach (var curve in clip.curves) Log("curve", clip.name, curve.name, curve.curve.keys.Select(key => key.time).ToArray(), curve.curve.keys.Select(key => key.value).ToArray());
        }
    }

    static void Print(UnityEditor.Animations.AnimatorController controller)
    {
        var machine = controller.layers[0].stateMachine;
        Log("default", machine.defaultState.name);
        foreach (var state in machine.All)
        {
            var tree = state.motion as UnityEditor.Animations.BlendTree;
            if (tree != null) Log("tree", state.name, tree.blendType, tree.blendParameter, tree.blendParameterY ?? "", tree.useAutomaticThresholds);
            else Log("state", state.name, state.motion.name);
            foreach (var change in state.All) Log("transition", change.From, change.To, change.hasExitTime, change.exitTime, change.hasFixedDuration, change.duration);
        }
    }

    static void Call(string method, object target, params object[] arguments)
    {
        var flags = BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance;
        typeof(Portamento.SetImporter).GetMethod(method, flags).Invoke(target, arguments);
    }
}
