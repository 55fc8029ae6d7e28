import { modulePath } from '../file-path.ts';
import { readHeader } from './exception-header.ts';
import type { LanguageStack, ParsedException, ParsedFrame } from './parsed-stack.ts';
import { rubyFrame } from './ruby-stack.ts';
import { positionNumber, type StackLine } from './stack-lines.ts';
import { isVendorPath } from './vendor-path.ts';

/**
 * The contract's pattern, its end `\s*(?:~?\[.*\])?\s*$` written as `\s*(?:~?\[.*\]\s*)?$`: the same lines
 * without the quadratic walk over white space.
 */
const FRAME =
  /^\s*at (?:[\w.@-]+\/(?:[\w.@-]*\/)?)?([\w$.<>-]+)\.([\w$<>-]+)\(((?:[\w$.-]+\.(?:java|kt|kts|scala|groovy|clj)|SourceFile|Unknown Source|Native Method|<generated>|Unknown)(?::\d+)?)\)\s*(?:~?\[.*\]\s*)?$/;

/** JVM stack traces (contract incidents 5.4.6, row jvm). */
export function readJvmStack(lines: readonly StackLine[]): LanguageStack {
  const found = new Map<number, RegExpExecArray>();
  lines.forEach(({ text, indent }, index) => {
    const match = matchAnyFrame(text, indent);
    if (match !== null) found.set(index, match);
  });
  return { frameLineCount: found.size, readChain: () => readChain(lines, found) };
}

/** Class, method and location of a frame line with names in ASCII, or null. */
export function matchJvmFrame(text: string, indent: number): RegExpExecArray | null {
  return text.startsWith('at ', indent) && endsLikeFrame(text) ? FRAME.exec(text) : null;
}

/** A frame ends with its place in brackets, and the archive in others behind it. */
function endsLikeFrame(text: string): boolean {
  const last = text.trimEnd().at(-1);
  return last === ')' || last === ']';
}

/**
 * A frame with names beyond ASCII, as Kotlin and Scala allow them; lambdas, whose class has a number after a slash; and
 * any text in the brackets with a line: a file of a guest language, the id of a map, a renamed source file.
 */
const FRAME_OF_ANY_NAME =
  /^\s*at (?:[\w.@-]+\/(?:[\w.@-]*\/)?)?([\p{L}\p{N}_$.<>-]+(?:\/(?:0x)?[0-9a-f]{1,16})?)\.([\p{L}\p{N}_$<>?!=-]+)\(((?:[\p{L}\p{N}_$.-]+\.(?:java|kt|kts|scala|groovy|clj[cs]?)|SourceFile|Unknown Source|Native Method|<generated>|Unknown|NO_SOURCE_FILE)(?::\d+)?|(?:[a-z]{2,16}:){0,3}[^\s():]{0,300}:\d{1,9})\)\s*(?:~?\[.*\]\s*)?$/u;
/** A frame of a language that GraalVM runs as a guest: `at <js> total(cart.js:42:10-20)`. */
const GUEST_FRAME =
  /^\s*at <([\w.-]{1,20})>()? ?((?:[^\s()]| (?!\()){1,200})\(([^()]{1,300}?):(\d{1,9})(?::[\d-]{1,20})?\)\s*$/u;

/** A frame of JRuby, whose names are those of Ruby: `at RUBY.block in total(/srv/cart.rb:42)`. */
const RUBY_FRAME = /^\s*at (RUBY)\.((?:[^()]|\(\d{1,4} levels\)){1,300})\(([^()]{1,300}:\d{1,9})\)\s*$/;

/** The text that OpenJ9 writes after the line of a method that is already compiled. */
const COMPILED = /\((?:Inlined )?Compiled Code\)\)/;

/** Matches like `matchJvmFrame`, and also rarer names and places. */
function matchAnyFrame(line: string, indentOfLine: number): RegExpExecArray | null {
  const { text: written, indent } = line.startsWith('at ', indentOfLine)
    ? { text: line, indent: indentOfLine }
    : { text: withAt(line, indentOfLine), indent: 0 };
  if (!written.startsWith('at ', indent) || !endsLikeFrame(written)) return null;
  const text = written.endsWith('Compiled Code))') ? written.replace(COMPILED, ')') : written;
  if (text.startsWith('RUBY.', indent + 'at '.length)) return RUBY_FRAME.exec(text);
  // A blank in front of the bracket is one of JavaScript and .NET.
  const isCall = text.charCodeAt(text.indexOf('(', indent) - 1) !== 0x20;
  const match = isCall ? (FRAME.exec(text) ?? FRAME_OF_ANY_NAME.exec(text)) : null;
  if (match !== null) return withClojureNames(match);
  const bare = isCall ? '' : withAt(text, indent);
  const apart = bare === '' ? null : FRAME_OF_ANY_NAME.exec(bare);
  return apart === null ? guestFrame(text) : withClojureNames(apart);
}

/**
 * An element of a stack that a program printed by itself, in a list or with a blank in front of the bracket: `Cart.total
 * (Cart.java:42);`.
 */
const BARE_ELEMENT =
  /^\s*(?:at )?(?:[\w.@-]{1,80}\/)?((?:[\p{L}\p{N}_$-]{1,200}\.){1,20}[\p{L}\p{N}_$<>?!-]{1,200}) ?(\((?:[\p{L}\p{N}_$.-]{1,120}\.(?:java|kt|scala|groovy|clj[cs]?):\d{1,9}|Native Method|Unknown Source)\))[;,]?\s*$/u;

/** The text of such a line as the virtual machine writes it; empty for any other line. */
function withAt(text: string, indent: number): string {
  if (!text.includes('.', indent) || !text.includes('(', indent)) return '';
  const [, name, place] = BARE_ELEMENT.exec(text) ?? [];
  return name === undefined ? '' : `at ${name}${place}`;
}

const CLOJURE_CALLS: ReadonlySet<string> = new Set(['invokeStatic', 'doInvoke', 'invokePrim', 'applyTo']);

/** A function of Clojure is a class, `shop.cart$total`, and what is called is always the same few methods of it. */
function withClojureNames(match: RegExpExecArray): RegExpExecArray {
  const [, className = '', method = '', location = ''] = match;
  if (!/\.clj[cs]?:|NO_SOURCE_FILE/.test(location)) return match;
  match[1] = className.replace(/\$(?:fn|eval|reify|iter)__\d+(?:\$fn__\d+)*$/, '').replace(/__\d+$/, '');
  if (CLOJURE_CALLS.has(method)) match[2] = 'invoke';
  return match;
}

/** The match as one of a frame of the virtual machine, its class empty. */
function guestFrame(text: string): RegExpExecArray | null {
  if (!text.includes('at <')) return null;
  const match = GUEST_FRAME.exec(text);
  if (match === null) return null;
  const [, , , name = '', file = '', line = ''] = match;
  match[1] = '';
  match[2] = name.trim();
  match[3] = `${file}:${line}`;
  return match;
}

const CAUSED_BY = 'Caused by: ';
const SUPPRESSED = 'Suppressed: ';

function readChain(
  lines: readonly StackLine[],
  found: ReadonlyMap<number, RegExpExecArray>,
): ParsedException[] {
  const head = found.has(0) ? '' : (lines[0]?.text ?? '');
  let current: ParsedException = {
    ...readHeader(head.replace(/^Exception in thread "[^"]*" /, '')),
    frames: [],
  };
  const chain = [current];
  // The indent of the suppressed exception whose lines are being skipped.
  let suppressedIndent: number | null = null;
  lines.forEach(({ text, indent }, index) => {
    const match = found.get(index);
    if (match !== undefined) {
      const [, className = '', method = '', location = ''] = match;
      // Failures inside a proxy are separated by the method that the proxy replaces.
      const named = current.frames.length === 0 ? className.replace(ENHANCED, '') : className;
      const frame = suppressedIndent === null ? jvmFrame(named, method, location) : null;
      if (frame !== null) current.frames.push(frame);
    } else if (text.startsWith(SUPPRESSED, indent)) {
      suppressedIndent ??= indent;
    } else if (text.startsWith(CAUSED_BY, indent)) {
      if (suppressedIndent !== null && indent >= suppressedIndent && indent > 0) return;
      suppressedIndent = null;
      current = { ...readHeader(text.slice(indent + CAUSED_BY.length)), frames: [] };
      chain.push(current);
    }
  });
  return chain;
}

/** The text that R8 writes in the place of a file, which changes with each build. */
const MAP_ID = /^r8-map-id-|^:?com\.google\.android/;

const PROXY =
  /\$\$(?:Enhancer|FastClass|Spring|Lambda|ByteBuddy|HibernateProxy)|\$Proxy\d|GeneratedMethodAccessor|GeneratedConstructorAccessor|_WeldClientProxy/;

/** The part that Spring adds to the class for which it makes a proxy. */
const ENHANCED = /\$\$(?:EnhancerBySpringCGLIB\$\$[0-9a-f]{1,16}|SpringCGLIB\$\$\d{1,4})$/;

/** Null for a proxy or a generated accessor, which are dropped. */
export function jvmFrame(className: string, method: string, location: string): ParsedFrame | null {
  if (PROXY.test(className)) return null;
  const { place, digits } = placeAndLine(location);
  const written = place.replace(/^(?:[a-z]{2,16}:){1,3}(?=\/)/, '');
  const file = MAP_ID.test(written) ? '' : written;
  if (className === 'RUBY') return rubyFrame(file, digits, method);
  if (className === '') {
    const line = positionNumber(digits);
    return {
      module: modulePath(file),
      function: method,
      file,
      line,
      column: null,
      inApp: !isVendorPath(file),
    };
  }
  return {
    ...codeLocation(className, method),
    file: file.includes('.') ? file : null,
    line: positionNumber(digits),
    column: null,
    inApp: !(file.endsWith('.php') ? PHP_LIBRARY : LIBRARY).test(`${className.replace('$', '.')}.`),
  };
}

/** `Cart.java:42` in its parts. */
function placeAndLine(location: string): { place: string; digits: string | undefined } {
  const colon = location.lastIndexOf(':');
  const digits = location.slice(colon + 1);
  if (colon === -1 || !/^\d+$/.test(digits)) return { place: location, digits: undefined };
  return { place: location.slice(0, colon), digits };
}

/** Methods through which a lambda or an anonymous class is called: the name says nothing. */
const CALL_METHODS: ReadonlySet<string> = new Set([
  'invoke',
  'invokeSuspend',
  'apply',
  'applyOrElse',
  'accept',
  'run',
  'call',
  'get',
  'test',
  'handle',
]);
const UNNAMED_PARTS: ReadonlySet<string> = new Set(['', 'lambda', 'Companion', 'inlined']);
/** An anonymous class, or a function of Clojure without a name. */
const NUMBERED_PART = /^(?:\d+|(?:fn|reify|eval)_{0,2}\d+)$/;

function codeLocation(className: string, method: string): Pick<ParsedFrame, 'module' | 'function'> {
  const [outer = '', ...parts] = className.split('$');
  const named = parts.filter((part) => !UNNAMED_PARTS.has(part) && !NUMBERED_PART.test(part));
  const first = named[0];
  const whole = first === undefined ? outer : `${outer}$${first}`;
  if (parts.length === 0 || !CALL_METHODS.has(method)) return { module: whole, function: methodName(method) };
  const enclosing = named.findLast(startsLowerCase);
  if (enclosing !== undefined) {
    return { module: first === undefined || startsLowerCase(first) ? outer : whole, function: enclosing };
  }
  return { module: whole, function: named.length > 0 ? method : '<anonymous>' };
}

function startsLowerCase(part: string): boolean {
  return /^\p{Ll}/u.test(part);
}

function methodName(method: string): string {
  const lambda = /^lambda\$(.+?)(?:\$\d+)?$/.exec(method)?.[1];
  return lambda ?? (method.replace(/(?:\$default|\$suspendImpl|\$\d+)+$/, '') || method);
}

const LIBRARY =
  /^(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure\.(?:core|lang)|org\.(?:springframework|apache|codehaus\.groovy|hibernate|jboss|wildfly|eclipse|junit|aspectj|postgresql|mariadb|slf4j|hamcrest|gradle|mockito|quartz|thymeleaf)|ch\.qos|com\.(?:zaxxer|fasterxml|mysql|microsoft\.sqlserver|google|mongodb|datastax|squareup|netflix|android|oracle|ibm|github\.benmanes)|io\.(?:netty|reactivex|ktor|micrometer|micronaut|quarkus|undertow|vertx|grpc|lettuce|opentelemetry|projectreactor)|reactor|okhttp3|okio|retrofit2|android|androidx|dalvik|libcore|oracle|net\.(?:sf|bytebuddy)|lucee|railo|coldfusion|hudson|jenkins|org\.(?:jenkinsci|kohsuke)|com\.cloudbees)\./;

/**
 * The libraries of PHP, whose OpenTelemetry library writes its traces in the form of Java, without the folders of the
 * files.
 */
const PHP_LIBRARY =
  /^(?:Illuminate|Laravel|Livewire|Inertia|Filament|Spatie|Symfony|Doctrine|Composer|GuzzleHttp|Monolog|Psr|Twig|Slim|Cake|yii|Zend|Laminas|Mezzio|League|Nette|Phalcon|CodeIgniter|Drupal\.Core|Magento\.Framework|Predis|MongoDB|Aws|Google|React|Amp|PHPUnit|Carbon|Nyholm|Ramsey|Http|OpenTelemetry)\./;
