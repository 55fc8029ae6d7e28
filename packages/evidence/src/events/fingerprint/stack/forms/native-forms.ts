import { goFrame } from '../go-stack.ts';
import type { ParsedFrame } from '../parsed-stack.ts';
import { type FrameForm, type FrameParts, plainFrame, splitName } from './frame-form.ts';

const RUST_LIBRARY =
  /^(?:std|core|alloc|tokio|futures(?:_\w+)?|hyper|tower|actix_\w+|rayon(?:_core)?|backtrace|serde\w*|anyhow|axum|mio|rust_\w+|__rust\w*|___rust\w*)(?:::|$)/;
const RUST_FOREIGN_FILE = /\/rustc\/|\.cargo[\\/]registry|\/rustlib\//;

function rustFrame(parts: FrameParts): ParsedFrame {
  const name = rustName(parts.fn);
  const { owner, last } = splitName(name, '::');
  const inApp =
    !RUST_LIBRARY.test(name) &&
    !RUST_FOREIGN_FILE.test(parts.file) &&
    !/^_?_?libc_start|^_?start$|^clone$|^start_thread$/.test(name);
  return plainFrame(parts, { module: owner, function: last, inApp });
}

/** The values of a span, which `SPANTRACE` has behind its name. */
const FIELDS_OF_SPAN = / with \w{1,100}=.*$/;

/** Closures and asynchronous blocks, as both manglings of Rust write them, and the hash of a crate. */
const MADE_BY_RUST =
  /::\{(?:\{closure\}|(?:closure|async_(?:fn|block|closure)|coroutine|gen_(?:fn|block))(?:_env)?#\d{1,9})\}|(?<=\w)\[[0-9a-f]{8,16}\](?=::)/g;

/** `<app::Cart as app::Total>::sum::{{closure}}::h0123456789abcdef` is `app::Cart::sum`. */
function rustName(written: string): string {
  const bare = written
    .replace(FIELDS_OF_SPAN, '')
    .replace(/::h[0-9a-f]{16}$/, '')
    .replace(MADE_BY_RUST, '');
  const typed = /^<([^<> ]{1,200}) as [^>]{1,300}>(.*)$/.exec(bare);
  return (typed === null ? bare : `${typed[1]}${typed[2]}`).replace(/::<[^<>]*>|<[^<>]*>/g, '');
}

const SYSTEM_LIBRARY =
  /(?:^|[\\/])(?:lib(?:c|m|pthread|stdc\+\+|gcc_s|dl|rt|asan|ubsan|art|binder|utils|log|android_runtime|hwui|openjdkjvm\w*|javacore|dispatch|system_\w+)(?:[-.]|$)|ld-|linux-vdso|\[vdso\]|ntdll|kernel(?:32|base)|ucrtbase|msvcrt|vcruntime|user32|combase|win32u)|^\/(?:apex|system)\//i;

/** Functions of the standard libraries of C++ and of Kotlin, which are built into the program. */
const STANDARD_NAME = /^(?:std::|__gnu_cxx::|__cxxabiv1::|kotlinx?[.#]|Kotlin_)/;

/** `/build/glibc-LcI20x/glibc-2.31/`: where Debian builds its packages. Programs are built below `/build` too. */
const BUILT_BY_DISTRIBUTION =
  /^\/build\/(?:reproducible-path\/|(?<pkg>[a-z\d][a-z\d.+-]{0,60})-[\da-zA-Z_]{5,8}\/\k<pkg>)/;

const ADDRESS_NAME = /^(?:0x)?[0-9a-f]{4,16}$|^\?\?$|^<unknown>$|^n\/a$/i;

/** A call in a binary without symbols: only its place there distinguishes it from others. */
export function placeInBinary(binary: string, offset: string | undefined): string {
  const digits = offset?.replace(/^0x/i, '').replace(/^0+(?=.)/, '') ?? '';
  return binary === '' || digits === '' ? '' : `${binary}+0x${digits}`;
}

function nativeFrame(parts: FrameParts): ParsedFrame {
  const name = ADDRESS_NAME.test(parts.fn) ? '' : withoutArguments(parts.fn);
  const { owner, last } = splitName(name, '::');
  const inApp =
    !STANDARD_NAME.test(name) &&
    !SYSTEM_LIBRARY.test(parts.mod) &&
    !SYSTEM_LIBRARY.test(parts.file) &&
    !/^\/(?:usr|apex|system)\//.test(parts.file) &&
    !BUILT_BY_DISTRIBUTION.test(parts.file);
  const binary = binaryName(parts.mod);
  return plainFrame(parts, {
    module: owner || binary,
    function: last || placeInBinary(binary, parts.offset),
    inApp,
  });
}

/** Modules are named; what the kernel itself has is around them. */
function kernelFrame(parts: FrameParts): ParsedFrame {
  return plainFrame(parts, { module: parts.mod || 'vmlinux', function: parts.fn, inApp: parts.mod !== '' });
}

/** `cart::total(int, std::string const&) const` is `cart::total`. */
function withoutArguments(name: string): string {
  const open = name.indexOf('(', name.startsWith('(anonymous') ? 11 : 1);
  return withoutTemplates(open === -1 ? name : name.slice(0, open))
    .replace(/^(?:void|int|bool|static|virtual) /, '')
    .trim();
}

function withoutTemplates(name: string): string {
  let plain = name;
  for (let depth = 0; depth < 8 && plain.includes('<'); depth++) plain = plain.replace(/<[^<>]*>/g, '');
  return plain;
}

function binaryName(path: string): string {
  return path.slice(1 + Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')));
}

const WINDOWS =
  /^\s*(?:[0-9a-f]{2,3} )?(?:(?:\(Inline Function\) )?[-0-9a-f`]{8,17} [-0-9a-f`]{8,17} {1,20})?(?<mod>[\w.-]{1,100})!(?<fn>[^\s+[\]]{1,300})(?:\+0x[0-9a-f]{1,16})?(?: \[(?<file>[^\]@]{1,300}?) @ (?<line>\d{1,9})\])?\s*$/i;

const PLACE_BELOW =
  /^\s+at (?<file>[^:\s]{1,400}|[A-Za-z]:[^:]{1,400}):(?<line>\d{1,9})(?::(?<col>\d{1,9}))?\s*$/;

/** Rust, and what C and C++ programs, Android and Windows write. */
export const NATIVE_FORMS: readonly FrameForm[] = [
  {
    language: 'rust',
    mark: ':',
    pattern:
      /^\s*\d{1,4}:\s+(?:0x[0-9a-f]{1,16} - )?(?<fn>(?=\S{1,400}\s*$|.{0,400}::)[^\s'"(][^'"(]{0,400}?)(?: with \w{1,100}=.{0,2000})?\s*$/,
    place: PLACE_BELOW,
    toFrame: rustFrame,
  },
  {
    // Without a backtrace: `panicked at src/cart.rs:14:22:`, and with the message in front as it was until 1.72.
    language: 'rust',
    mark: 'panicked at ',
    isSpare: true,
    pattern:
      /^(?:thread '[^']{0,100}' (?:\(\d{1,10}\) )?)?panicked at (?:'.{0,600}', )?(?<file>[^\s:']{1,300}\.rs):(?<line>\d{1,9}):(?<col>\d{1,9}):?\s*$/,
    toFrame: rustFrame,
  },
  {
    // C++ with the place in the next line, as Rust writes it.
    language: 'native',
    mark: ': ',
    pattern: /^\s*\d{1,4}: (?<fn>[^\s'"(][^'"(]{0,300}(?:\([^()'"]{0,300}\)(?: const)?)?)\s*$/,
    place: PLACE_BELOW,
    needsPlace: true,
    toFrame: nativeFrame,
  },
  {
    // Android tombstones.
    language: 'native',
    mark: ' pc ',
    pattern:
      /^\s*#\d{1,3} pc (?<offset>(?:0x)?[0-9a-f]{4,16})\s+(?<mod>\S{1,300})(?: \(offset 0x[0-9a-f]{1,16}\))?(?: \((?<fn>(?!BuildId)[^+]{1,400})(?:\+\d{1,12})?\))?(?: \(BuildId:? ?[0-9a-f]{1,64}\))?\s*$/,
    toFrame: nativeFrame,
  },
  {
    // Sanitizers and debuggers.
    language: 'native',
    mark: '#',
    pattern:
      /^\s*#\d{1,4}\s+(?:0x[0-9a-f]{1,16} in )?(?<fn>(?:[^\s(]|\(anonymous).{0,500}?) (?:at )?(?<file>(?:\/|[A-Za-z]:|\.\.?\/)?[^\s:()]{1,300}\.(?:c|cc|cpp|cxx|h|hpp|hh|m|mm|rs|zig|S)):(?<line>\d{1,9})(?::(?<col>\d{1,9}))?(?: \([^\s()]{1,300}\+0x[0-9a-f]{1,16}\))?(?: \(BuildId: [0-9a-f]{1,64}\))?\s*$/,
    toFrame: nativeFrame,
  },
  {
    language: 'native',
    mark: '#',
    pattern:
      /^\s*#\d{1,4}\s+0x[0-9a-f]{1,16} (?:(?:in )?(?<fn>(?!in |from )[^\s(][^(]{0,300}(?:\([^()]{0,300}\))?) )?(?:\(|from )(?<mod>[^\s()+]{1,300})(?:\+0x(?<offset>[0-9a-f]{1,16}))?\)?(?: \(BuildId: [0-9a-f]{1,64}\))?\s*$/,
    toFrame: nativeFrame,
  },
  {
    // glibc.
    language: 'native',
    mark: '0x',
    pattern:
      /^\s*(?:\[bt\] )?(?<mod>[^\s()]{1,300})\((?<fn>[\w.@:~$]{0,300})\+0x(?<offset>[0-9a-f]{1,16})\) ?\[0x[0-9a-f]{1,16}\]\s*$/,
    toFrame: nativeFrame,
  },
  {
    // Kotlin/Native.
    language: 'native',
    mark: '0x',
    pattern:
      /^\s*at \d{1,4}\s{1,8}(?<mod>\S{1,200})\s{1,60}0x[0-9a-f]{1,16}\s{1,20}(?:kfun:)?#?(?<fn>\S(?:[^+]|\+(?! \d)){0,400}?)(?: \+ \d{1,9})?(?: \((?<file>[^():]{1,300}):(?<line>\d{1,9}):(?<col>\d{1,9})\))?\s*$/,
    toFrame: nativeFrame,
  },
  {
    // systemd-coredump.
    language: 'native',
    mark: '+ 0x',
    pattern:
      /^\s*#\d{1,4}\s{1,4}0x[0-9a-f]{1,16} (?<fn>[^\s(]{1,300}) \((?<mod>[^\s()]{1,200}) \+ 0x(?<offset>[0-9a-f]{1,16})\)\s*$/,
    toFrame: nativeFrame,
  },
  {
    // minidump-stackwalk.
    language: 'native',
    mark: '!',
    pattern:
      /^\s*\d{1,4} {2}(?<mod>[\w.+-]{1,100})!(?<fn>[^[\]]{1,400}?)(?: \[(?<file>[^\][:]{1,300}?) : (?<line>\d{1,9}) \+ 0x[0-9a-f]{1,16}\]| \+ 0x[0-9a-f]{1,16})\s*$/,
    toFrame: nativeFrame,
  },
  {
    // minidump-stackwalk and WinDbg, where a binary has no symbols.
    language: 'native',
    mark: '0x',
    pattern:
      /^\s*(?:\d{1,4} {2}|[0-9a-f]{2,3} [-0-9a-f`]{8,17} [-0-9a-f`]{8,17} {1,20})(?<mod>[\w.-]{1,100}) ?\+ ?0x(?<offset>[0-9a-f]{1,16})\s*$/i,
    toFrame: nativeFrame,
  },
  {
    // Oopses of the Linux kernel, which says where it failed in a register.
    language: 'native',
    mark: '/0x',
    pattern:
      /^(?:\[ {0,6}\d{1,9}\.\d{1,9}\] )?\s{0,40}(?:RIP: [0-9a-f]{4}:|pc : |lr : |\[<[0-9a-f]{4,16}>\] )?(?<fn>[\w.$]{1,200})\+0x[0-9a-f]{1,16}\/0x[0-9a-f]{1,16}(?: \[(?<mod>[\w-]{1,100})(?: [0-9a-f]{1,64})?\])?\s*$/,
    toFrame: kernelFrame,
  },
  {
    // glog, Abseil and what uses them: `    @     0x55a1b2c3  shop::total()`, with the size of the frame in newer ones.
    language: 'native',
    mark: '@',
    pattern: /^\s*@\s{1,20}0x[0-9a-f]{4,16}\s{1,8}(?:\d{1,9}\s{1,8})?(?<fn>(?!\(unknown\))\S.{0,400}?)\s*$/,
    toFrame: nativeFrame,
  },
  {
    // Eris of Go: `main.load:/srv/shop/store.go:19`.
    language: 'go',
    mark: '.go:',
    pattern: /^\s{1,8}(?<fn>[\w./~()*-]{1,500}):(?<file>\/[^\s:]{1,300}\.go):(?<line>\d{1,9})\s*$/,
    toFrame: ({ fn, file, line }) => goFrame(fn, file, line),
  },
  { language: 'native', mark: '!', pattern: WINDOWS, toFrame: nativeFrame },
];
