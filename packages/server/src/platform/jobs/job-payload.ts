/**
 * A list of numbers that a job's payload carries under a name.
 * @throws Error for a row that was not written by this program
 */
export function numbersIn(payload: Readonly<Record<string, unknown>>, name: string): number[] {
  const list = payload[name];
  if (!Array.isArray(list)) throw new Error(`unreadable job: no ${name}`);
  return list.map((id: unknown) => {
    if (typeof id !== 'number') throw new Error(`unreadable job: no ${name}`);
    return id;
  });
}
