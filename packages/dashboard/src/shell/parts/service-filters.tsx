import { useQuery } from '@tanstack/react-query';
import { servicesQuery } from '../../api/projects.ts';
import { visibleLine } from '../../format/event-text.ts';
import { FilterMenu } from '../../ui/layers/filter-menu.tsx';

type ServiceSearch = { service?: string; environment?: string };

/** Two menus that cut a list to a service and to an environment of the project. */
export function ServiceFilters({
  pid,
  search,
  set,
}: {
  pid: string;
  search: ServiceSearch;
  /** Gives what takes the choice of a menu. */
  set: (name: keyof ServiceSearch) => (value: string | undefined) => void;
}) {
  const { data: services = [] } = useQuery(servicesQuery(pid));
  return (
    <>
      <FilterMenu
        label="Service"
        value={search.service}
        values={named(services.map(({ name }) => name))}
        onChoose={set('service')}
      />
      <FilterMenu
        label="Environment"
        value={search.environment}
        values={named(services.map(({ environment }) => environment))}
        onChoose={set('environment')}
      />
    </>
  );
}

function named(names: readonly string[]) {
  return [...new Set(names)].map((name) => [name, visibleLine(name)] as const);
}
