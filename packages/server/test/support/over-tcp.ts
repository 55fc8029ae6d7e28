/** The address of a database by its port, also where the driver would take the socket file that it names. */
export function overTcp(databaseUrl: string): URL {
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  return url;
}
