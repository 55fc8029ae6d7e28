import type { ReactNode } from 'react';
import styles from './data-table.module.css';

export interface Column<Row> {
  /** Its heading; the words of a column of controls are for screen readers alone. */
  title: string;
  isTitleHidden?: boolean;
  /** Figures are at the end of their column. */
  isNumber?: boolean;
  cell: (row: Row) => ReactNode;
}

/** A table of records. On a narrow screen each becomes a list of names and values. */
export function DataTable<Row>({
  label,
  rows,
  columns,
  keyOf,
  isDim,
}: {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** True for a record that no longer applies, such as a revoked token. */
  isDim?: (row: Row) => boolean;
}) {
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title, isTitleHidden, isNumber }) => (
            <th key={title} scope="col" className={isNumber === true ? styles.number : ''}>
              <span className={isTitleHidden === true ? 'visually-hidden' : ''}>{title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} className={isDim?.(row) === true ? styles.dim : ''}>
            {columns.map(({ title, isTitleHidden, isNumber, cell }) => (
              <td
                key={title}
                data-title={isTitleHidden === true ? undefined : title}
                className={isNumber === true ? styles.number : ''}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
