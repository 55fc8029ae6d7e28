import styles from './sentence.module.css';

/** A sentence in parts; the chosen parts are emphasized. */
export type Sentence = readonly (string | { chosen: string })[];

/** The same as bare text, for names of controls. */
export function sentenceText(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === 'string' ? part : part.chosen)).join('');
}

/** Says what a setting does, for people to read before they save it. */
export function SentenceLine({ sentence }: { sentence: Sentence }) {
  return (
    <span className={styles.sentence} dir="auto">
      {sentence.map((part, index) =>
        typeof part === 'string' ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no identity but their place
          <b key={index} translate="no">
            {part.chosen}
          </b>
        ),
      )}
    </span>
  );
}
