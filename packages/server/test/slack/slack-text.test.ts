import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeSlackText, slackHeaderText, slackSectionText } from '../../src/notify/slack/slack-text.ts';

describe('text for Slack', () => {
  it('cannot mention anybody, link anywhere or be markup', () => {
    expect(escapeSlackText('<!channel> & <@U1> <https://evil.test|ok>')).toBe(
      '&lt;!channel&gt; &amp; &lt;@U1&gt; &lt;https://evil.test|ok&gt;',
    );
  });

  it('is left whole when it fits, and ends with an ellipsis when it does not', () => {
    expect(slackHeaderText('a'.repeat(150))).toBe('a'.repeat(150));
    expect(slackHeaderText('a'.repeat(151))).toBe(`${'a'.repeat(149)}…`);
    expect(slackSectionText('a'.repeat(2900))).toBe('a'.repeat(2900));
    expect(slackSectionText('a'.repeat(2901))).toBe(`${'a'.repeat(2899)}…`);
  });

  it('is cut between characters, never inside an escape', () => {
    expect(slackHeaderText('<'.repeat(200))).toBe(`${'&lt;'.repeat(37)}…`);
    expect(slackHeaderText('😀'.repeat(200))).toBe(`${'😀'.repeat(74)}…`);
  });

  it('never holds a bare bracket, and never more than fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
        const shown = slackHeaderText(text);
        expect(shown.length).toBeLessThanOrEqual(150);
        expect(shown).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
      }),
    );
  });
});
