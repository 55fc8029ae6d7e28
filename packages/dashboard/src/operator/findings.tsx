import type { OperatorFinding } from '@culprit/contract/workspace/operator';
import { plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import styles from './operator.module.css';

/** Shows the faults and unintended settings, their beginning, and their remedy: the findings of `admin doctor`. */
export function Findings({ findings }: { findings: readonly OperatorFinding[] }) {
  return (
    <Section
      id="attention"
      title="Attention"
      note={findings.length === 0 ? undefined : plural(findings.length, 'finding')}
    >
      {findings.length === 0 ? (
        <SectionText>
          <p>No problems found.</p>
        </SectionText>
      ) : (
        <ul className={styles.findings}>
          {findings.map((finding) => (
            <Finding key={`${finding.check} ${finding.what}`} finding={finding} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Finding({ finding: { check, severity, what, since, todo, command } }: { finding: OperatorFinding }) {
  return (
    <li className={styles.finding} data-severity={severity}>
      <p className={styles.kind}>{severity === 'wrong' ? 'Wrong' : 'Warning'}</p>
      <div className={styles.words}>
        <p className={styles.what}>
          <strong>{capitalized(check)}</strong>: {what}
          {since !== null && (
            <span className={styles.since}>
              since <Time iso={since} form="absolute" />
            </span>
          )}
        </p>
        {todo !== '' && <p className={styles.todo}>{capitalized(todo)}.</p>}
        {command !== null && <CodeBlock code={command} label={`command for ${check}`} isWrapped />}
      </div>
    </li>
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
