import { useState } from 'react';
import { CodeBlock } from '../ui/code-block.tsx';
import { SelectField } from '../ui/fields/field.tsx';
import { Notice } from '../ui/notice.tsx';

/** The option that each tool needs, and the command after its build (docs/contract/source-maps.md 7.4). */
const TOOLS = [
  { name: 'Vite', option: "build: { sourcemap: 'hidden' }", folder: 'dist', deletes: true },
  { name: 'webpack', option: "devtool: 'hidden-source-map'", folder: 'dist', deletes: true },
  { name: 'Rollup', option: 'output: { sourcemap: true }', folder: 'dist', deletes: true },
  { name: 'esbuild', option: '--sourcemap', folder: 'dist', deletes: true },
  { name: 'Next.js', option: 'productionBrowserSourceMaps: true', folder: '.next', deletes: true },
  { name: 'TypeScript (tsc)', option: '"sourceMap": true', folder: 'dist', deletes: false },
] as const;

/** Shows the options to enable and the commands to run when there is no map yet. */
export function EmptyMaps({ title }: { title: string }) {
  const [name, setName] = useState<string>(TOOLS[0].name);
  const tool = TOOLS.find((each) => each.name === name) ?? TOOLS[0];
  return (
    <Notice title={title}>
      <SelectField
        label="Build tool"
        name="tool"
        value={name}
        onChange={(event) => setName(event.target.value)}
      >
        {TOOLS.map((each) => (
          <option key={each.name}>{each.name}</option>
        ))}
      </SelectField>
      <p>Let the build write source maps:</p>
      <CodeBlock code={tool.option} label="Option of the build tool" />
      <p>Then run this after the build, before you deploy:</p>
      <CodeBlock code={uploadCommand(tool.folder, tool.deletes)} label="Command" />
    </Notice>
  );
}

function uploadCommand(folder: string, deletes: boolean): string {
  return `culprit sourcemaps upload ${folder}${deletes ? ' --delete-maps' : ''}`;
}
