import '../../api/screen-problem-words.ts';
import type { ReactNode } from 'react';
import { Breadcrumb } from './breadcrumb.tsx';
import { PageTitle, Reading, Sections } from './page.tsx';

/** Shows the parts of every screen that belongs to a person or to the server rather than to a project. */
export function OwnScreen({
  title,
  intro,
  actions,
  children,
}: {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Reading>
      <Breadcrumb>
        <span>{title}</span>
      </Breadcrumb>
      <PageTitle title={title} windowTitle={title} actions={actions}>
        {intro !== undefined && <p>{intro}</p>}
      </PageTitle>
      <Sections>{children}</Sections>
    </Reading>
  );
}
