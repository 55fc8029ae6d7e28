/**
 * The target that opens a line of a stack: an editor of this machine, or an address such as that of the repository.
 * Text of a failing application becomes part of a link here and nowhere else, so schemes are fixed and every part is
 * encoded.
 */
export interface Editor {
  kind: EditorKind;
  /** The folder of the code on the machine that runs it, at the beginning of its paths. Empty if paths are relative. */
  origin: string;
  /** The folder of the same code on this machine; for `web` the address, with `{path}`, `{line}` and `{commit}`. */
  target: string;
}

export const EDITORS = {
  vscode: 'VS Code',
  cursor: 'Cursor',
  zed: 'Zed',
  idea: 'IntelliJ IDEA',
  web: 'A web address',
} as const;
type EditorKind = keyof typeof EDITORS;

/** Returns the stored setting; null if the text is no setting. */
export function readEditor(stored: unknown): Editor | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { kind, origin, target } = { kind: '', origin: '', target: '', ...stored };
  const known = editorKindOf(String(kind));
  return known === null ? null : { kind: known, origin: String(origin), target: String(target) };
}

export function editorKindOf(text: string): EditorKind | null {
  for (const kind in EDITORS) if (isKind(kind) && kind === text) return kind;
  return null;
}

function isKind(text: string): text is EditorKind {
  return Object.hasOwn(EDITORS, text);
}

/** Why text cannot be the target of an editor; null where it can. */
export function targetFault(kind: EditorKind, target: string): string | null {
  if (kind !== 'web')
    return target === '' || isAbsolute(target) ? null : 'Enter an absolute path, such as /home/ada/shop.';
  const [, host = ''] = /^https:\/\/([^/?#]+)\//.exec(target) ?? [];
  const isAddress = /^[\w.-]+(?::\d+)?$/.test(host) && target.includes('{path}');
  return isAddress ? null : 'Enter an address that begins with https:// and contains {path}.';
}

/**
 * The link that opens a place; null where no editor is set, or the place is none of a file.
 * @param place as a frame has it: `file:line:column`
 */
export function editorLink(editor: Editor | null, place: string, commit: string | null): string | null {
  const [, file = '', line = '', column = '1'] = /^(.+?):(\d+)(?::(\d+))?$/.exec(place) ?? [];
  if (editor === null || file === '' || targetFault(editor.kind, editor.target) !== null) return null;
  // Addresses, parts of the platform, and ways out of the folder are no files of the checkout.
  if (/^[\w+.-]{2,}:/.test(file) || file.includes('\0') || file.split(/[\\/]/).includes('..')) return null;
  const path = file.replaceAll('\\', '/');
  if (path.startsWith('//')) return null;
  const inside = withoutOrigin(path, editor.origin);
  if (editor.kind === 'web') {
    const parts: Readonly<Record<string, string | null>> = {
      path: encodePath(inside.replace(/^\/+/, '')),
      line,
      commit,
    };
    if (editor.target.includes('{commit}') && commit === null) return null;
    return editor.target.replaceAll(/\{(path|line|commit)\}/g, (_whole, name: string) =>
      name === 'path' ? (parts.path ?? '') : encodeURIComponent(parts[name] ?? ''),
    );
  }
  if (editor.target === '' && !isAbsolute(inside)) return null;
  const local = isAbsolute(inside)
    ? inside
    : `${editor.target.replaceAll('\\', '/').replace(/\/+$/, '')}/${inside}`;
  if (!isAbsolute(local)) return null;
  const encoded = encodePath(local).replace(/^\/+/, '');
  return editor.kind === 'idea'
    ? `idea://open?file=${encodeURIComponent(local)}&line=${line}`
    : `${editor.kind}://file/${encoded}:${line}:${column}`;
}

function withoutOrigin(path: string, origin: string): string {
  const folder = origin.replaceAll('\\', '/').replace(/\/+$/, '');
  return folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(path);
}

function encodePath(path: string): string {
  return path
    .split('/')
    .map((part, index) => (index === 0 && /^[A-Za-z]:$/.test(part) ? part : encodeURIComponent(part)))
    .join('/');
}
