import { REDACTED } from './secret-keys.ts';

/** Values in manifests of Kubernetes whose kind is `Secret`, whatever their names are (docs/contract/clients.md 10.1). */

const OF_SECRET = /(?:^|[\s{,"'])kind["']?: ?["']?Secret(?![\w-])/;
/** Between two documents of YAML. */
const BETWEEN = /(\n---[^\r\n]{0,64}\r?\n)/;
const BLOCK_BEGIN = /^([ \t]{0,32})(?:data|stringData):[ \t]{0,8}\r?$/;
const MEMBER = /^([ \t]{0,32}[\w.-]{1,253}: ?["']?)([^\s"'][^"'\r\n]{0,65535})/;
const SCALAR = /^[|>][+-]?\d?\s*$/;
const OBJECT = /("(?:data|stringData)"\s{0,8}:\s{0,8}\{)([^{}]{1,262144})(?=\})/g;
const JSON_MEMBER = /("[\w.-]{1,253}"\s{0,8}:\s{0,8}")([^"\\\r\n]{1,65536})/g;

/** Replaces the values of secrets in manifests, in YAML and in JSON. */
export function redactManifests(text: string): string {
  return text
    .split(BETWEEN)
    .map((document) => (OF_SECRET.test(document) ? redactDocument(document) : document))
    .join('');
}

function redactDocument(text: string): string {
  let blockIndent = -1;
  const lines = text.split('\n').map((line) => {
    const indent = line.length - line.trimStart().length;
    const begin = BLOCK_BEGIN.exec(line);
    if (begin !== null) {
      blockIndent = begin[1]?.length ?? 0;
      return line;
    }
    if (line.trim() === '') return line;
    if (indent <= blockIndent) blockIndent = -1;
    return blockIndent === -1 ? line : redactLine(line, indent);
  });
  return lines
    .join('\n')
    .replace(OBJECT, (_, begin: string, members: string) => begin + members.replace(JSON_MEMBER, hidden));
}

function redactLine(line: string, indent: number): string {
  // A line of a text below its name
  if (!MEMBER.test(line)) return /:\s*$/.test(line) ? line : line.slice(0, indent) + REDACTED;
  return line.replace(MEMBER, hidden);
}

function hidden(whole: string, begin: string, value: string): string {
  return SCALAR.test(value) || value.includes(REDACTED) ? whole : begin + REDACTED;
}
