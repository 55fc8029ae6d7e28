import { forwardSlashes, modulePath, writtenFile } from '../../file-path.ts';
import type { ParsedFrame } from '../parsed-stack.ts';
import { positionNumber } from '../stack-lines.ts';
import { isVendorPath } from '../vendor-path.ts';
import { nameBefore, nameBehind } from './name-beside.ts';
import { LINE_ELSEWHERE, type Place, quotedPlace, writtenPlace } from './place.ts';

/** The column of an address, which is no name. */
const ADDRESS = /(?<![\w.])(?:0x|\$)[0-9a-f]{4,16}(?!\w)/gi;

function withoutAddresses(text: string): string {
  return /0x|\$/i.test(text) ? text.replace(ADDRESS, ' ') : text;
}

/** Alone behind the place, `rules.js:12 (clean)`, or in front of the code: `cart.ahk (42) : [Total] return 1`. */
const BRACKETED =
  /^[\s:]{0,3}(?:\(([\p{L}_$][\p{L}\p{N}_.$:#-]{0,200})\):?\s*$|\[([\p{L}_$][\p{L}\p{N}_.$]{0,200})\] )/u;

/** `shop.exe!Cart::total(int id) Line 42`. */
const IMAGE_OF_WINDOWS = /^\s{0,8}[\w.-]{1,100}\.(?:exe|dll)!/i;

/** The frame of a line with a place in code; empty for any other line. */
export function generalFrame(text: string): ParsedFrame[] {
  const place = quotedPlace(text) ?? writtenPlace(text);
  if (place === null) return [offsetFrame(text) ?? lineFrame(text)].flatMap((frame) => frame ?? []);
  const before = withoutAddresses(place.before).replace(IMAGE_OF_WINDOWS, '');
  const after = withoutAddresses(place.after);
  const bracketed = BRACKETED.exec(after);
  const behind = nameBehind(after);
  const name =
    bracketed?.[1] ??
    bracketed?.[2] ??
    nameBefore(before) ??
    (TYPE_OF_ERROR.test(behind ?? '') ? null : behind);
  const frame = placedFrame(place, name);
  return [OF_OCAML.test(before) ? { ...frame, inApp: false } : frame];
}

/** The type of an error, as pytest writes it behind the place: `test_cart.py:12: AssertionError`. */
const TYPE_OF_ERROR = /^[A-Z]\w{0,80}(?:Error|Exception)$/;

/** A function of the standard library, whose name is cut to its last two parts. */
const OF_OCAML = /(?:^|\s)(?:Stdlib|Camlinternal)\w{0,40}\./;

/** Paths of games and of resources, whose scheme has no host. */
const RESOURCE = /^(?:res|user|qrc|asset|game|source|bundle|cell):\/{2,3}/;

/** A frame by its place, with the name beside it. */
export function placedFrame(
  { file, line, column }: Pick<Place, 'file' | 'line' | 'column'>,
  name: string | null,
): ParsedFrame {
  const path = file.replace(RESOURCE, '');
  return {
    module: modulePath(path),
    function: name ?? '<anonymous>',
    file: writtenFile(path),
    line: positionNumber(line),
    column: positionNumber(column),
    inApp: isOwnFile(path) && !STANDARD_NAME.test(name ?? ''),
  };
}

/** A line without a file: `PL/pgSQL function total(integer) line 12`, `Error in total (line 42)`. */
function lineFrame(text: string): ParsedFrame | null {
  const match = LINE_ELSEWHERE.exec(text);
  if (match === null) return null;
  const quoted = /["'`]([\p{L}_][\p{L}\p{N}_.$:#-]{0,200})["'`],?\s{0,2}$/u.exec(
    text.slice(0, match.index),
  )?.[1];
  const name = quoted ?? nameBefore(text.slice(0, match.index));
  if (name === null) return null;
  return {
    module: '',
    function: name,
    file: null,
    line: positionNumber(match[1]),
    column: null,
    inApp: true,
  };
}

const SYSTEM_FILE =
  /^(?:\/usr\/(?!src\/|local\/(?:app|src))|\/lib\d*\/|\/System\/|\/nix\/store\/|\/opt\/homebrew\/|[A-Za-z]:[\\/](?:Windows|Program Files))|(?:^|[\\/])\.(?:choosenim|nimble|opam|cabal|stack|ghcup|rustup|cargo|asdf|sdkman|m2|gradle|pub-cache|julia|luarocks|hex|nuget)[\\/]|(?:^|[\\/])(?:lib\/(?:python|ruby|lua|ocaml|erlang|tcl)\w*[\d.]*|std|stdlib|core|runtime|vlib)[\\/]/i;

/** Files of standard libraries, which their runtimes name without a directory. */
const STANDARD_FILE =
  /^(?:(?:stdlib|pervasives|list|hashtbl|map|array|bytes|string|buffer|printf|scanf|filename)\.ml|(?:system|fatal|excpt|iterators)\.nim)$|[\\/]lib[\\/](?:system|pure|std|core)[\\/][\w\\/]{1,60}\.nim$|[\\/]lib[\\/]system\.nim$/;

/** Modules of standard libraries, as a function's name begins with them. */
const STANDARD_NAME = /^(?:Stdlib|Camlinternal\w{1,20}|std|core|alloc)(?:__\w{1,40})?(?:\.|::)/;

function isOwnFile(file: string): boolean {
  const path = forwardSlashes(file);
  return (
    !isVendorPath(path) &&
    !SYSTEM_FILE.test(path) &&
    !STANDARD_FILE.test(path) &&
    !/^(?:<|\[|builtin|native|internal)/.test(path)
  );
}

/** `libcart.so+0x1a`, `(total+0x1a)`, `_kDartIsolateSnapshotInstructions+0x1a2b`: a place in a build. */
const OFFSET =
  /(?:^|[\s([!`])([\p{L}_$~@?/\\][^\s()[\]!`+]{0,200})\s?\+\s?(0x[0-9a-f]{1,16}|\d{1,9})(?=$|[\s()\],;])/iu;
const WHOLE_BINARY = /\.(?:so(?:\.[\d.]+)?|dylib|dll|exe|bin|elf|wasm)$|^_kDart/;

/** `total(int, char const*) const + 0x1a` and the build that it is in: `(0x7f12 in /srv/app/libcart.so)`. */
const PARAMETERS = /\([^()]{0,300}\)(?: const)?(?= ?\+ ?(?:0x|\d))/g;
const IMAGE = / in ([^\s()]{1,300})\)\s*$/;

function withoutParameters(text: string): string {
  return text.includes(')') ? text.replace(PARAMETERS, '') : text;
}

function offsetFrame(text: string): ParsedFrame | null {
  const match = text.includes('+') ? OFFSET.exec(withoutParameters(text)) : null;
  const symbol = match?.[1];
  if (match === null || symbol === undefined) return null;
  const name = symbol.slice(1 + Math.max(symbol.lastIndexOf('/'), symbol.lastIndexOf('\\')));
  const isBinary = WHOLE_BINARY.test(name);
  return {
    module: isBinary ? name : '',
    // In a binary only the place distinguishes one function from another.
    function: isBinary ? `${name}+${match[2] ?? ''}` : name,
    file: null,
    line: null,
    column: null,
    inApp:
      !SYSTEM_FILE.test(symbol) &&
      isOwnFile(IMAGE.exec(text)?.[1] ?? '') &&
      !/^(?:lib(?:c|m|pthread|stdc\+\+|gcc_s|dl|art)\b|ld-)/.test(name),
  };
}
