import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { NoteText } from '../../src/incident/story/note-text/note-text.tsx';

/** What the browser would be given, without attributes that every element of a kind has. */
function shown(text: string): string {
  return renderToStaticMarkup(createElement(NoteText, { text }))
    .replace(/^<div[^>]*>|<\/div>$/g, '')
    .replaceAll(/ (?:dir="auto"|translate="no"|target="_blank"|rel="noopener noreferrer nofollow")/g, '');
}

describe('the text of a note', () => {
  it.each([
    ['one\ntwo\n\nthree', '<p>one\ntwo</p><p>three</p>'],
    ['*a* _b_ **c *d* e**', '<p><em>a</em> <em>b</em> <strong>c <em>d</em> e</strong></p>'],
    ['`*a*` and `b`', '<p><code>*a*</code> and <code>b</code></p>'],
    ['see\n```ts\nlet a = **b**\n\n```\nend', '<p>see</p><pre><code>let a = **b**\n</code></pre><p>end</p>'],
    ['```\n<b>', '<pre><code>&lt;b&gt;</code></pre>'],
    ['- a\n  more\n  - b\n- *c*', '<ul><li>a\nmore<ul><li>b</li></ul></li><li><em>c</em></li></ul>'],
    [
      '1. a\n   - b\n     - c\n   - d\n2. e',
      '<ol start="1"><li>a<ul><li>b<ul><li>c</li></ul></li><li>d</li></ul></li><li>e</li></ol>',
    ],
    ['3. a\n4. b\n- c', '<ol start="3"><li>a</li><li>b</li></ol><ul><li>c</li></ul>'],
    [
      '> a\n> > b\n> - c\nd',
      '<blockquote><p>a</p><blockquote><p>b</p></blockquote><ul><li>c</li></ul></blockquote><p>d</p>',
    ],
    ['snake_case_name __init__ 2*3*4 src/**/*.ts', '<p>snake_case_name __init__ 2*3*4 src/**/*.ts</p>'],
    ['# a\n---\n| b |', '<p># a\n---\n| b |</p>'],
    ['*open **and _open', '<p>*open **and _open</p>'],
  ])('%j is shown with its paragraphs, emphasis, code, lists and quotes', (text, html) => {
    expect(shown(text)).toBe(html);
  });

  const link = (href: string, text: string, beside = '') => `<p><a href="${href}">${text}</a>${beside}</p>`;
  it.each([
    ['https://a.example/x_y_z', link('https://a.example/x_y_z', 'https://a.example/x_y_z')],
    [
      '**https://a.example/x.**',
      '<p><strong><a href="https://a.example/x">https://a.example/x</a>.</strong></p>',
    ],
    ['[docs](https://a.example/x)', link('https://a.example/x', 'docs', '<span> (a.example)</span>')],
    ['[a.example](https://a.example/x)', link('https://a.example/x', 'a.example')],
    [
      '[https://a.example](http://b.example)',
      link('http://b.example/', 'https://a.example', '<span> (b.example)</span>'),
    ],
    [
      '[https://a.example](https://a.example.evil.example)',
      link('https://a.example.evil.example/', 'https://a.example', '<span> (a.example.evil.example)</span>'),
    ],
    [
      'https://a.example@b.example/',
      link('https://a.example@b.example/', 'https://a.example@b.example/', '<span> (b.example)</span>'),
    ],
    [
      'https://аpple.example/',
      link('https://xn--pple-43d.example/', 'https://аpple.example/', '<span> (xn--pple-43d.example)</span>'),
    ],
  ])('%j is a link that shows its host when the text says another', (text, html) => {
    expect(shown(text)).toBe(html);
  });

  it.each([
    '[a](javascript:alert(1))',
    '[a](data:text/html,x)',
    '[a](JaVaScRiPt://x%0aalert(1))',
    '[a](//a.example)',
    '[a](/path)',
    'javascript:alert(1)',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">a</a>',
    '`<script>alert(1)</script>`',
    '![a](x.png)',
    'http://',
    '[a](https://[)',
  ])('%j is no link, image or HTML', (text) => {
    expect(shown(text)).not.toMatch(/<(?!\/?(?:p|code)>)/);
  });

  it.each(
    [
      '*',
      '_',
      '**',
      '*a ',
      '*a* ',
      '**a *b ',
      '`',
      '[',
      '[a](',
      '[a](https://',
      '> ',
      '>',
      '- ',
      '  - a\n',
      '1. ',
      '```\n',
      'https://a.',
      '> - *[`\n',
    ].map((part) => [part]),
  )('20,000 characters of %j are shown, and no element is deeper than the bounds', (part) => {
    const html = shown(part.repeat(20_000 / part.length));
    let depth = 0;
    let deepest = 0;
    for (const [tag] of html.matchAll(/<\/?[a-z]+/g)) {
      depth += tag.startsWith('</') ? -1 : 1;
      deepest = Math.max(deepest, depth);
    }
    expect(deepest).toBeLessThanOrEqual(16);
    expect(html.length).toBeGreaterThan(0);
  });
});
