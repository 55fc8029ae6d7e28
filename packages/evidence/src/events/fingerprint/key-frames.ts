import { withoutFramework } from './bundled-framework.ts';
import { forwardSlashes, modulePath } from './file-path.ts';
import {
  ANONYMOUS,
  bundleModule,
  isMinifiedName,
  keyFile,
  keyFunction,
  MINIFIED,
  servedName,
} from './key-names.ts';
import type { StackLanguage } from './stack/forms/frame-form.ts';
import { isOriginalFile } from './stack/mapped-frames.ts';
import type { ApplicationFrame, ParsedException, ParsedFrame } from './stack/parsed-stack.ts';
import { createStackJudge, type StackJudge, type StackRule } from './stack/stack-rules.ts';
import { isVendorPath } from './stack/vendor-path.ts';
import { withoutVersionFrames } from './stack/version-frames.ts';

/** The information of the project and the event about the place of the code. */
export interface CodeLocations {
  language: StackLanguage | null;
  rules: readonly StackRule[];
  /** The directory in which the process runs; null when the event does not say. */
  installRoot: string | null;
}

/** The frames that identify a code place. */
interface KeyFrames {
  /** `module#function`, newest call first; empty when the chain has no frame. */
  frames: string[];
  /** All of them have the names of a minifier: `frames` contains the files alone. */
  isMinified: boolean;
  applicationFrame: ApplicationFrame | null;
  /** A source map named one of them. */
  hasMapped: boolean;
}

const FRAMES_MAX = 3;
/** Engines disagree about the frames further out. */
const SERVED_FRAMES_MAX = 2;

/** The chain with `inApp` as the rules of the project, the client and the install root decide it. */
export function placedChain(
  chain: readonly ParsedException[],
  places: CodeLocations,
  judge: StackJudge = createStackJudge(places.rules),
): ParsedException[] {
  if (!chain.some((exception) => isPlacedElsewhere(exception, places))) return [...chain];
  const placed = (exception: ParsedException): ParsedException => ({
    ...exception,
    frames: placedFrames(exception.frames, places, judge),
    ...(exception.group === undefined ? {} : { group: placedChain(exception.group, places, judge) }),
  });
  // The innermost first, whose frames identify the event: a judge has a limit.
  return chain.toReversed().map(placed).reverse();
}

/** Returns true if more than the reader decides where the frames are. */
function isPlacedElsewhere({ frames, group }: ParsedException, places: CodeLocations): boolean {
  if (places.rules.length > 0 || places.installRoot !== null || group !== undefined) return true;
  return frames.some(({ sentInApp }) => sentInApp !== undefined);
}

function placedFrames(
  frames: readonly ParsedFrame[],
  places: CodeLocations,
  judge: StackJudge,
): ParsedFrame[] {
  const placed: ParsedFrame[] = [];
  for (const frame of frames) {
    const known = placedFrame(frame, places, judge);
    if (known !== null) placed.push(known);
  }
  return placed;
}

function placedFrame(
  frame: ParsedFrame,
  { installRoot }: CodeLocations,
  judge: StackJudge,
): ParsedFrame | null {
  const verdict = judge(frame);
  if (verdict === 'ignore') return null;
  const inApp = verdict === null ? (frame.sentInApp ?? isOwnCode(frame, installRoot)) : verdict === 'own';
  return inApp === frame.inApp ? frame : { ...frame, inApp };
}

function isOwnCode(frame: ParsedFrame, installRoot: string | null): boolean {
  // The place of a generated file says nothing of its sources.
  const inside = frame.map?.state === 'mapped' ? null : relativeFile(frame, installRoot);
  if (inside === null) return frame.inApp;
  return !isVendorPath(inside) && !/(?:^|\/)vendor\//.test(inside) ? true : frame.inApp;
}

/** The file below the install root; null when it lies elsewhere. */
function relativeFile({ file, isServed }: ParsedFrame, installRoot: string | null): string | null {
  if (file === null || installRoot === null || isServed === true) return null;
  const root = forwardSlashes(installRoot).replace(/\/$/, '');
  const path = forwardSlashes(file);
  return root.length > 1 && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : null;
}

/** Chooses the frames of the key, of a chain that `placedChain` made. */
export function keyFrames(chain: readonly ParsedException[], places: CodeLocations): KeyFrames {
  for (const exception of chain.toReversed()) {
    const inApp = exception.frames.filter((frame) => frame.inApp && !isNoise(frame, places.language));
    const own =
      places.language === 'js' ? withoutFramework(inApp) : withoutVersionFrames(inApp, places.language);
    const leading = own.find((frame) => frame.isRecovery !== true) ?? own[0];
    if (leading === undefined) continue;
    const applicationFrame = {
      file: leading.file ?? leading.module,
      line: leading.line,
      function: calledAt(leading, own)?.function ?? leading.function,
    };
    return { ...namesOf(own, places), applicationFrame };
  }
  const innermost = chain.findLast((exception) => exception.frames.length > 0)?.frames ?? [];
  const calls = withoutVersionFrames(
    innermost.filter((frame) => !isNoise(frame, places.language)),
    places.language,
  );
  return { ...namesOf(calls.length > 0 ? calls : innermost, places), applicationFrame: null };
}

/**
 * Returns the frame of the call, because Ruby gives operators of a program's classes a frame in the place that calls
 * them.
 */
function calledAt(frame: ParsedFrame, frames: readonly ParsedFrame[]): ParsedFrame | undefined {
  if (/[\p{L}<]/u.test(frame.function)) return undefined;
  const caller = frames[frames.indexOf(frame) + 1];
  return caller?.file === frame.file && caller.line === frame.line ? caller : undefined;
}

/** Frames that said more than others first: a name of a minifier or none counts only where there is no better one. */
function namesOf(
  frames: readonly ParsedFrame[],
  places: CodeLocations,
): Pick<KeyFrames, 'frames' | 'isMinified' | 'hasMapped'> {
  const called = frames.filter((frame) => frame.isRecovery !== true);
  const keyed = (called.length > 0 ? called : frames).map((frame) => keyFrame(frame, places));
  const max = isServedFrames(frames) ? SERVED_FRAMES_MAX : FRAMES_MAX;
  const named = keyed.filter(
    ({ name }) => name !== MINIFIED && (name !== ANONYMOUS || !isServedFrames(frames)),
  );
  if (named.length > 0) {
    const keys = withoutCycles(named.map(written)).slice(0, max);
    const hasMapped = named.some((each) => each.isMapped && keys.includes(written(each)));
    return { frames: keys, isMinified: false, hasMapped };
  }
  const minified = keyed.filter(({ name }) => name === MINIFIED);
  const files = [...new Set((minified.length > 0 ? minified : keyed).map(written))].slice(0, max);
  return { frames: files, isMinified: minified.length > 0, hasMapped: false };
}

function isServedFrames(frames: readonly ParsedFrame[]): boolean {
  const [first] = frames;
  return first?.isServed === true || first?.map?.generated?.isServed === true;
}

interface KeyFrame {
  module: string;
  name: string;
  isMapped: boolean;
}

function written({ module, name }: KeyFrame): string {
  return `${module}#${name}`;
}

function keyFrame(frame: ParsedFrame, places: CodeLocations): KeyFrame {
  // A name that a person wrote stays unchanged.
  if (frame.map?.state === 'mapped') return { module: frame.module, name: frame.function, isMapped: true };
  return { ...generatedKey(frame, places), isMapped: false };
}

function generatedKey(
  frame: ParsedFrame,
  { language, installRoot }: CodeLocations,
): Pick<KeyFrame, 'module' | 'name'> {
  if (isAppBundle(frame)) return { module: APP_BUNDLE, name: servedName(frame.function) };
  if (frame.isServed === true) {
    return { module: bundleModule(frame.file ?? frame.module), name: servedName(frame.function) };
  }
  const inside = relativeFile(frame, installRoot);
  if (language === 'js') {
    const module = keyFile(inside !== null ? modulePath(inside) : frame.module, frame.file);
    return { module, name: serverName(frame) };
  }
  if (language === 'jvm' && CLOJURE_CALL.test(frame.function)) {
    const split = frame.module.indexOf('$');
    if (split !== -1) {
      return { module: frame.module.slice(0, split), name: keyFunction(frame.module.slice(split + 1)) };
    }
  }
  const isFileNamed = language === 'python' || language === 'ruby';
  return {
    module: keyFile(isFileNamed && inside !== null ? modulePath(inside) : frame.module, frame.file),
    name: keyFunction(frame.function),
  };
}

/** `a7`, `tQ`, `$n`, `l7e`: what a minifier calls the functions of a bundle that a server runs. */
const NAME_OF_MINIFIER = /^(?=.{1,3}$)[A-Za-z_$]*(?:\d|\$|(?<=[a-z])[A-Z])[\w$]*$/;

const BARE_LETTERS_MAX = 2;

/** A function of JavaScript on a server, whose bundle may be minified. */
function serverName(frame: ParsedFrame): string {
  const { function: name } = frame;
  const dot = name.lastIndexOf('.');
  const last = name.slice(dot + 1);
  if (NAME_OF_MINIFIER.test(name) || isBareLetters(last)) return MINIFIED;
  if (isMappedByRuntime(frame) && servedName(name) === MINIFIED) return MINIFIED;
  return keyFunction(dot > 0 && isBareLetters(name.slice(0, dot)) ? last : name);
}

function isBareLetters(name: string): boolean {
  return name.length <= BARE_LETTERS_MAX && isMinifiedName(name);
}

/** In a file that the runtime mapped itself, names are partly those of the bundle, as in a browser. */
function isMappedByRuntime({ file, address }: ParsedFrame): boolean {
  return isOriginalFile((address ?? file ?? '').split(/[?#]/, 1)[0] ?? '');
}

const CLOJURE_CALL = /^(?:invoke|invokeStatic|doInvoke|invokePrim)$/;

/** React Native names its one file differently on each system. */
const APP_BUNDLE = 'index.android.bundle';

/** Returns true if the file is one that React Native runs. */
function isAppBundle({ file }: ParsedFrame): boolean {
  return file !== null && /(?:^|\/)(?:index|main)\.[\w.]{0,20}?(?:bundle|jsbundle)$/.test(file);
}

/**
 * The functions that a crash passes through on its way to the report, and those that the system calls before a
 * program's own code.
 */
const CRASH_MACHINERY =
  /^(?:abort|_abort|raise|gsignal|__GI_(?:abort|raise)|pthread_kill|__pthread_kill(?:_implementation|_internal)?|tgkill|terminate|std::terminate|__cxa_throw|__cxa_rethrow|_Unwind_\w+|rust_begin_unwind|rust_panic|__rust_start_panic|begin_panic\w*|panic_fmt|panic_display|panic_bounds_check|panic|panicmem|goPanicIndex|sigpanic|objc_exception_throw|_objc_terminate|__exceptionPreprocess|-\[NSException raise\]|__assert_fail(?:_base)?|__assert_rtn|__stack_chk_fail|__fortify_fail|__libc_message|malloc_printerr|__sanitizer_\w+|__asan_\w+|__interceptor_\w+|RaiseException|RtlRaiseException|_CxxThrowException|KiUserExceptionDispatch\w*|swift_unexpectedError|_assertionFailure|_swift_runtime_on_report|UnhandledExceptionFilter|fatalError|__libc_start\w*|BaseThreadInitThunk|RtlUserThreadStart)$/;

/** Words that programs in other languages use for functions of their own: `terminate` of Elixir, `abort` of a page. */
const COMMON_WORD = /^(?:abort|raise|terminate|panic)$/;
const MANAGED: ReadonlySet<StackLanguage | null> = new Set([
  'js',
  'python',
  'ruby',
  'php',
  'jvm',
  'dotnet',
  'dart',
  'elixir',
  'lua',
  'powershell',
  'perl',
  'r',
]);

function isNoise({ function: name, module }: ParsedFrame, language: StackLanguage | null): boolean {
  if (COMMON_WORD.test(name) && MANAGED.has(language)) return false;
  return CRASH_MACHINERY.test(name.slice(moduleEnd(name))) || (module === 'std' && name === 'terminate');
}

/** V8 writes the module of WebAssembly in front: `shop_bg.wasm.rust_panic`. */
function moduleEnd(name: string): number {
  const at = name.indexOf(OF_WASM);
  return at === -1 ? 0 : at + OF_WASM.length;
}

const OF_WASM = '.wasm.';

const PERIOD_MAX = 6;

/** Equal neighbours are one, and so is a cycle of calls, wherever in it the limit was met. */
function withoutCycles(names: readonly string[]): string[] {
  const distinct = names.filter((name, index) => name !== names[index - 1]);
  for (let period = 2; period <= PERIOD_MAX && period * 2 <= distinct.length; period++) {
    let equal = 0;
    while (equal + period < distinct.length && distinct[equal] === distinct[equal + period]) equal += 1;
    if (equal < period) continue;
    const cycle = distinct.slice(0, period);
    const start = cycle.indexOf([...cycle].sort()[0] ?? '');
    return [...cycle.slice(start), ...cycle.slice(0, start), ...distinct.slice(equal + period)];
  }
  return distinct;
}
