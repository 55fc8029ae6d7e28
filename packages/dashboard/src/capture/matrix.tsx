import styles from './capture.module.css';
import { FATE_WORDS, type MatrixRow } from './capture-matrix.ts';

/** Shows the outcome of each kind of event, now and after saving. A change is marked, in words too. */
export function Matrix({ rows, isEdited }: { rows: readonly MatrixRow[]; isEdited: boolean }) {
  return (
    <table className={styles.matrix} aria-label="Outcome by kind of event">
      <thead>
        <tr>
          <th scope="col">Outcome by kind of event</th>
          <th scope="col">Now</th>
          <th scope="col">After saving</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, before, after }) => {
          const isChanged = before !== after;
          return (
            <tr key={label} data-changed={isChanged}>
              <th scope="row">{label}</th>
              <td data-fate={before}>{FATE_WORDS[before]}</td>
              <td data-fate={after}>
                {isEdited ? FATE_WORDS[after] : <span className={styles.same}>–</span>}
                {isChanged && (
                  <span className={styles.dot}>
                    <span className="visually-hidden">changed</span>
                  </span>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
