/** The projects that a name can mean: one by its slug, or else all that are called so. */
export function namedProjects<Project extends { slug: string; name: string }>(
  projects: readonly Project[],
  name: string,
): Project[] {
  const bySlug = projects.filter(({ slug }) => slug === name);
  return bySlug.length > 0 ? bySlug : projects.filter((each) => each.name === name);
}
