import { describe, expect, it } from 'vitest';
import { EVERYWHERE, FOR_PEOPLE, LABELS, type Replaced } from './plain-words.ts';
import {
  isSentence,
  textsOf,
  textsOfApi,
  textsOfDocuments,
  textsOfSources,
  type UserText,
} from './user-texts.ts';

/** Dashboard, mails and chat messages. */
const FOR_READERS =
  /^packages\/dashboard\/src\/|-mail\.ts$|^packages\/server\/src\/notify\/(?:alerts\/channels\/(?:email|slack|discord|teams|mattermost|ntfy|telegram|pagerduty)|reports\/report-)/;
const DASHBOARD = /^packages\/dashboard\/src\/.*\.tsx?$/;

const SOURCE_TEXTS = textsOfSources();

describe('a text that users read has the words of the field', () => {
  it('in the dashboard, mails, chat messages, commands, logs, errors and descriptions', () => {
    expect(hits(SOURCE_TEXTS.filter(isSentence), EVERYWHERE)).toEqual([]);
  });

  it('in mails, chat messages and the dashboard without the names of the API', () => {
    const texts = SOURCE_TEXTS.filter((each) => isSentence(each) && FOR_READERS.test(each.file));
    expect(hits(texts, FOR_PEOPLE)).toEqual([]);
  });

  it('in labels of the dashboard', () => {
    const texts = SOURCE_TEXTS.filter(({ file }) => DASHBOARD.test(file));
    expect(hits(texts, LABELS)).toEqual([]);
  });

  it('in the descriptions of the API', () => {
    expect(hits(textsOfApi(), EVERYWHERE)).toEqual([]);
  });

  it('in the guides', () => {
    expect(hits(textsOfDocuments(), EVERYWHERE)).toEqual([]);
  });
});

describe('the reader of texts', () => {
  it('finds what is planted in a literal, a template and a page, and nothing in comments and types', () => {
    const planted = `import x from './nobody at once.ts';
      // Nobody is told.
      type Word = 'nobody at all';
      const label = 'Nobody is here';
      const line = \`\${label} is put
        together\`;
      const page = <p title="It stands here">Taken in by <b>{line}</b></p>;
      const sql = 'select nobody from users';`;
    expect(hits(textsOf('planted.tsx', planted), EVERYWHERE)).toEqual([
      'planted.tsx:4 "Nobody is here": person, no one, or the subject itself',
      'planted.tsx:5 "… is put together": build',
      'planted.tsx:7 "It stands here": is, appears, is below',
      'planted.tsx:7 "Taken in by": outcome, accepted',
    ]);
    expect(hits(textsOf('planted.tsx', `const title = <Line title="Of the services" />;`), LABELS)).toEqual([
      'planted.tsx:1 "Of the services": the noun alone',
    ]);
  });
});

function hits(texts: readonly UserText[], words: readonly Replaced[]): string[] {
  return texts.flatMap(({ file, line, text }) =>
    words.filter(({ not }) => not.test(text)).map(({ but }) => `${file}:${line} "${text}": ${but}`),
  );
}
