/**
 * The paths that scanners request from every host: login and admin pages of well-known software, by the first segments
 * of their paths. A GET for one that is not found is no information about the application (docs/contract/incidents.md
 * 6.2).
 */
const SCANNED: ReadonlySet<string> = new Set([
  ...['admin', 'administrator', 'admin.php', 'adminer', 'adminer.php', 'admin-console', 'cgi-bin', 'cpanel'],
  ...['wp-admin', 'wp-login.php', 'wp-content', 'wp-includes', 'wp-json', 'wordpress', 'wp', 'xmlrpc.php'],
  ...['phpmyadmin', 'pma', 'myadmin', 'dbadmin', 'phpinfo.php', 'info.php', 'login.php', 'login', 'signin'],
  ...['typo3', 'joomla', 'drupal', 'magento', 'solr', 'jmx-console', 'jenkins', 'actuator', 'autodiscover'],
  ...[
    'owa',
    'ecp',
    'boaform',
    'hnap1',
    'gponform',
    'manager/html',
    'user/login',
    'vendor/phpunit',
    'remote/login',
  ],
]);

/**
 * Returns true if a route is one that scanners probe for. Dot files are probed for in every folder; `.well-known` is
 * none.
 */
export function isScannerPath(route: string): boolean {
  if (route.includes('/.')) return !route.startsWith('/.well-known');
  const [first = '', second = ''] = route.slice(1).toLowerCase().split('/', 2);
  return SCANNED.has(first) || SCANNED.has(`${first}/${second}`);
}
