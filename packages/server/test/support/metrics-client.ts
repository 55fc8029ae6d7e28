/** The page of `/metrics`, as Prometheus would read it. */
export interface MetricsPage {
  status: number;
  text: string;
  samples: Sample[];
  /** The value of the one sample with these labels; 0 when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
}

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g;

export async function scrape(
  serverUrl: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<MetricsPage> {
  const response = await fetch(`${serverUrl}/metrics`, { headers: { ...headers } });
  const text = await response.text();
  const samples = response.status === 200 ? samplesOf(text) : [];
  return {
    status: response.status,
    text,
    samples,
    value(name, labels = {}) {
      const found = samples.filter(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      );
      if (found.length > 1) throw new Error(`${found.length} samples of ${name} have these labels`);
      return found[0]?.value ?? 0;
    },
  };
}

/** Throws for a line that is neither a comment nor a sample. */
function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
      if (name === '' || Number.isNaN(Number(value.replace('+Inf', 'Infinity')))) {
        throw new Error(`no sample: ${line}`);
      }
      return {
        name,
        labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, label, text]) => [label, text])),
        value: Number(value.replace('+Inf', 'Infinity')),
      };
    });
}
