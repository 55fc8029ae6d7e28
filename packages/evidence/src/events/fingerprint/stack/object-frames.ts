import type { StructuredException, StructuredFrame } from '../../normalize/structured-exceptions.ts';
import { dotnetFrame } from './dotnet-stack.ts';
import { withoutLeadingBackslash } from './exception-header.ts';
import { APP_FORMS } from './forms/app-forms.ts';
import { type FrameParts, plainFrame, type StackLanguage } from './forms/frame-form.ts';
import { NATIVE_FORMS } from './forms/native-forms.ts';
import { SCRIPT_FORMS } from './forms/script-forms.ts';
import { goFrame } from './go-stack.ts';
import { jsFrame } from './js-stack.ts';
import { jvmFrame } from './jvm-stack.ts';
import type { ParsedException, ParsedFrame } from './parsed-stack.ts';
import { phpFrame } from './php-stack.ts';
import { pythonFrame } from './python-stack.ts';
import { rubyFrame } from './ruby-stack.ts';
import { languageNamed } from './stack-language.ts';
import { swiftFrame } from './swift-stack.ts';

/** A chain that came as objects, with the language of its frames. */
interface ObjectChain {
  language: StackLanguage | null;
  /** Outermost first. */
  chain: ParsedException[];
}

/**
 * The cause chain of exceptions that were sent as objects, by the name rules of their language and without going
 * through text (docs/contract/grouping.md 4). Null when none was sent.
 */
export function objectChain(
  sent: readonly StructuredException[],
  named: StackLanguage | null,
): ObjectChain | null {
  if (sent.length === 0) return null;
  const ordered = outermostFirst(sent);
  const language = named ?? languageOfFrames(sent);
  // A client that calls no frame the application's own does not know it: the rules of the language decide.
  const isBelieved = sent.some(({ frames }) => frames.some(({ inApp }) => inApp === true));
  const parsed = ordered.map(
    ({ type, message, frames }): ParsedException => ({
      type: withoutLeadingBackslash(type),
      message,
      frames: frames.flatMap((frame) => parsedFrame(frame, language, isBelieved) ?? []),
    }),
  );
  ordered.forEach(({ isGroup, id }, index) => {
    if (!isGroup || id === null) return;
    const group = ordered.flatMap(({ parentId }, at) => (parentId === id ? (parsed[at] ?? []) : []));
    const owner = parsed[index];
    if (owner !== undefined && group.length > 0) owner.group = group;
  });
  return { language, chain: parsed };
}

/** By the numbers that the client gave them, else as they were sent. */
function outermostFirst(sent: readonly StructuredException[]): StructuredException[] {
  if (sent.some(({ id }) => id === null)) return [...sent];
  const children = new Map<number | null, StructuredException[]>();
  for (const each of sent) {
    const key = each.parentId === each.id ? null : each.parentId;
    children.set(key, [...(children.get(key) ?? []), each]);
  }
  const ordered: StructuredException[] = [];
  const visit = (each: StructuredException): void => {
    if (ordered.includes(each)) return;
    ordered.push(each);
    for (const child of children.get(each.id) ?? []) visit(child);
  };
  for (const root of children.get(null) ?? []) visit(root);
  return ordered.length === sent.length ? ordered : [...sent];
}

function languageOfFrames(sent: readonly StructuredException[]): StackLanguage | null {
  for (const { frames } of sent) {
    for (const frame of frames) {
      const language = languageNamed(frame.language) ?? languageOfFile(frame.file ?? frame.absPath);
      if (language !== null) return language;
    }
  }
  return null;
}

const EXTENSIONS: Readonly<Record<string, StackLanguage>> = {
  js: 'js',
  mjs: 'js',
  cjs: 'js',
  jsx: 'js',
  ts: 'js',
  tsx: 'js',
  vue: 'js',
  svelte: 'js',
  jsbundle: 'js',
  py: 'python',
  rb: 'ruby',
  php: 'php',
  java: 'jvm',
  kt: 'jvm',
  kts: 'jvm',
  scala: 'jvm',
  clj: 'jvm',
  groovy: 'jvm',
  go: 'go',
  cs: 'dotnet',
  vb: 'dotnet',
  fs: 'dotnet',
  swift: 'swift',
  m: 'swift',
  dart: 'dart',
  rs: 'rust',
  c: 'native',
  cc: 'native',
  cpp: 'native',
  h: 'native',
  hpp: 'native',
  ex: 'elixir',
  exs: 'elixir',
  erl: 'elixir',
  cr: 'crystal',
  pl: 'perl',
  pm: 'perl',
  lua: 'lua',
  ps1: 'powershell',
  psm1: 'powershell',
  jl: 'julia',
  hs: 'haskell',
  r: 'r',
};

function languageOfFile(file: string | null): StackLanguage | null {
  const extension = /\.([a-z0-9]{1,8})(?:\?|$)/i.exec(file ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(EXTENSIONS, extension) ? (EXTENSIONS[extension] ?? null) : null;
}

function parsedFrame(
  sent: StructuredFrame,
  language: StackLanguage | null,
  isBelieved: boolean,
): ParsedFrame | null {
  const frame = frameOf(sent, languageNamed(sent.language) ?? language ?? languageOfFile(sent.file));
  if (frame === null) return null;
  return {
    ...frame,
    line: sent.line,
    column: sent.column,
    ...(sent.inApp === null || !isBelieved ? {} : { inApp: sent.inApp, sentInApp: sent.inApp }),
    ...(sent.package === null ? {} : { package: sent.package }),
    ...(sent.source === undefined ? {} : { source: sent.source }),
    ...(sent.vars === undefined ? {} : { vars: sent.vars }),
  };
}

/** The file of a program without its folder, which has another name on each device. */
function imageName(path: string | null): string | null {
  return path === null ? null : path.slice(path.lastIndexOf('/') + 1) || path;
}

const FORMS = [...APP_FORMS, ...NATIVE_FORMS, ...SCRIPT_FORMS];

function frameOf(sent: StructuredFrame, language: StackLanguage | null): ParsedFrame | null {
  const name = sent.function ?? '';
  const file = sent.absPath ?? sent.file;
  const owner = sent.module ?? '';
  switch (language) {
    case 'js':
      return jsFrame({ function: name, file: file ?? '<anonymous>', line: sent.line, column: sent.column });
    case 'python':
      return pythonFrame(file ?? owner, undefined, name === '' ? undefined : name);
    case 'ruby':
      return rubyFrame(file ?? owner, undefined, name);
    case 'php':
      return phpFrame(
        {
          owner: owner === '' ? null : withoutLeadingBackslash(owner),
          method: name.includes('{closure') ? '<anonymous>' : withoutLeadingBackslash(name) || '<main>',
        },
        file === null ? null : { file, line: sent.line },
      );
    case 'jvm':
      return jvmFrame(owner, name, file ?? 'Unknown Source');
    case 'go':
      // Some loggers write the name of the function without its package.
      if (owner === '' && !/[./]/.test(name)) break;
      return goFrame(name.includes('/') || owner === '' ? name : `${owner}.${name}`, file ?? '', undefined);
    case 'dotnet':
      return dotnetFrame(owner === '' ? name : `${owner}.${name}`, file ?? undefined, undefined);
    case 'swift':
      return swiftFrame({
        image: imageName(sent.package ?? (owner || null)),
        symbol: name,
        file,
        line: sent.line,
      });
    default:
      break;
  }
  const form = FORMS.find((each) => each.language === language);
  const parts: FrameParts = {
    fn: name,
    mod: sent.package ?? owner,
    file: file ?? '',
    line: undefined,
    col: undefined,
  };
  if (form?.toFrame !== undefined) return form.toFrame(parts);
  return plainFrame(parts, { module: owner, function: name, inApp: true });
}
