/** The library prints its answers and scripts itself. */
export function printedBy(print: () => void): string {
  const { log } = console;
  const texts: string[] = [];
  console.log = (...parts: unknown[]) => {
    texts.push(parts.join(' '));
  };
  try {
    print();
  } finally {
    console.log = log;
  }
  return texts.join('\n');
}
