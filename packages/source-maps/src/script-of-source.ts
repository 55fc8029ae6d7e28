import type { ParserPlugin } from '@babel/parser';

/** The part of a source that is parsed; places in it are those of the source. */
export interface Script {
  text: string;
  plugins: ParserPlugin[];
  /** Starts and ends of the scripts of a component; null where all of the text is script. */
  blocks: readonly (readonly [start: number, end: number])[] | null;
}

const EXTENSION = /\.([a-z]{1,8})$/i;
const OPENING = /<script\b[^>]{0,500}>/gi;
const CLOSING = /<\/script\s*>/gi;
const COMPONENT: ParserPlugin[] = ['typescript', 'jsx', 'decorators-legacy'];

/** The script of a source; null for one of another language. */
export function scriptOf(file: string, text: string): Script | null {
  const extension = EXTENSION.exec(file)?.[1]?.toLowerCase() ?? '';
  switch (extension) {
    case 'ts':
    case 'mts':
    case 'cts':
      return { text, plugins: ['typescript', 'decorators-legacy'], blocks: null };
    case 'tsx':
      return { text, plugins: COMPONENT, blocks: null };
    case 'vue':
    case 'svelte':
      // Loaders of webpack hand the script block on by itself.
      return /^\s*</.test(text) || scriptBlocks(text).length > 0
        ? { ...blocksOf(text), plugins: COMPONENT }
        : { text, plugins: COMPONENT, blocks: null };
    case 'astro':
      return { ...frontMatterOf(text), plugins: COMPONENT };
    case 'css':
    case 'scss':
    case 'sass':
    case 'less':
    case 'json':
    case 'html':
    case 'wasm':
      return null;
    default:
      return {
        text,
        plugins: [/@flow\b/.test(text.slice(0, 2000)) ? 'flow' : 'jsx', 'jsx', 'decorators-legacy'],
        blocks: null,
      };
  }
}

/** The places of script blocks. One expression over a whole block would search the rest of the text at each opening. */
function scriptBlocks(text: string): [start: number, end: number][] {
  const blocks: [number, number][] = [];
  OPENING.lastIndex = 0;
  for (let open = OPENING.exec(text); open !== null; open = OPENING.exec(text)) {
    CLOSING.lastIndex = OPENING.lastIndex;
    const close = CLOSING.exec(text);
    if (close === null) break;
    blocks.push([OPENING.lastIndex, close.index]);
    OPENING.lastIndex = CLOSING.lastIndex;
  }
  return blocks;
}

/** The script blocks of a component, with everything else as blanks, so that places stay. */
function blocksOf(text: string): Pick<Script, 'text' | 'blocks'> {
  const blocks = scriptBlocks(text);
  let made = '';
  for (const [start, end] of blocks) {
    made += blank(text.slice(made.length, start)) + text.slice(start, end);
  }
  return { text: made + blank(text.slice(made.length)), blocks };
}

/** Returns the script between the fences at the beginning, and the script blocks after it. */
function frontMatterOf(text: string): Pick<Script, 'text' | 'blocks'> {
  const [whole, fence = '', body = ''] = /^(\s*---\r?\n)([\s\S]*?)\r?\n---/.exec(text) ?? [];
  if (whole === undefined) return blocksOf(text);
  const rest = blocksOf(blank(whole) + text.slice(whole.length));
  return {
    text: blank(fence) + body + rest.text.slice(fence.length + body.length),
    blocks: [[fence.length, fence.length + body.length], ...(rest.blocks ?? [])],
  };
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}
