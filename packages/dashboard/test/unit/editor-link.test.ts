import { describe, expect, it } from 'vitest';
import { type Editor, editorLink, readEditor, targetFault } from '../../src/shell/parts/editor.ts';

const CODE: Editor = { kind: 'vscode', origin: '/srv/app', target: '/home/ada/shop/' };
const WEB: Editor = {
  kind: 'web',
  origin: '/srv/app',
  target: 'https://git.example.com/shop/blob/{commit}/{path}#L{line}',
};
const COMMIT = 'e052891';

describe('the link of a line of a stack', () => {
  it.each([
    [CODE, '/srv/app/src/a b.js:3:7', 'vscode://file/home/ada/shop/src/a%20b.js:3:7'],
    [CODE, 'shop/shipping.ts:20', 'vscode://file/home/ada/shop/shop/shipping.ts:20:1'],
    [CODE, '/opt/other/x.js:1:2', 'vscode://file/opt/other/x.js:1:2'],
    [{ ...CODE, kind: 'cursor' as const }, 'a.js:1:2', 'cursor://file/home/ada/shop/a.js:1:2'],
    [{ ...CODE, kind: 'zed' as const }, 'a.js:1:2', 'zed://file/home/ada/shop/a.js:1:2'],
    [{ ...CODE, kind: 'idea' as const }, 'a.js:1:2', 'idea://open?file=%2Fhome%2Fada%2Fshop%2Fa.js&line=1'],
    [{ ...CODE, target: 'C:\\shop' }, 'src\\a.js:1:2', 'vscode://file/C:/shop/src/a.js:1:2'],
    [WEB, '/srv/app/src/a.js:3:7', 'https://git.example.com/shop/blob/e052891/src/a.js#L3'],
    [WEB, 'x?y#z.js:3', 'https://git.example.com/shop/blob/e052891/x%3Fy%23z.js#L3'],
  ])('leads there: %j %s', (editor, place, link) => {
    expect(editorLink(editor, place, COMMIT)).toBe(link);
  });

  it.each([
    'javascript:alert(1):1:1',
    'https://evil.example/a.js:1:1',
    'file:///etc/passwd:1:1',
    'node:internal/modules:1:1',
    '//evil.example/share/a.js:1',
    '\\\\evil.example\\share\\a.js:1',
    '../../../etc/passwd:1',
    'a/../../b.js:1',
    'no line',
    '',
  ])('is not made of %s', (place) => {
    for (const editor of [CODE, WEB]) expect(editorLink(editor, place, COMMIT)).toBeNull();
  });

  it('needs a setting that can be followed, and a commit where that is part of it', () => {
    expect(editorLink(null, 'a.js:1', COMMIT)).toBeNull();
    expect(editorLink(WEB, 'a.js:1', null)).toBeNull();
    expect(editorLink({ ...CODE, target: '' }, 'a.js:1', COMMIT)).toBeNull();
    for (const target of [
      'http://git.example.com/{path}',
      'javascript:{path}',
      'https://{path}/',
      'https://u@h/{path}',
      'https://h/',
    ]) {
      expect(targetFault('web', target), target).not.toBeNull();
      expect(editorLink({ ...WEB, target }, 'a.js:1', COMMIT), target).toBeNull();
    }
  });

  it('is of a known editor only, whatever is stored', () => {
    expect(readEditor({ kind: 'vscode', origin: '', target: '/x' })).toEqual({
      kind: 'vscode',
      origin: '',
      target: '/x',
    });
    for (const stored of [null, 'vscode', {}, { kind: 'javascript' }, { kind: 'toString' }]) {
      expect(readEditor(stored)).toBeNull();
    }
  });
});
