const VENDOR =
  /(?:^|[/\\])(?:node_modules|bower_components|jspm_packages|\.yarn|\.pnpm|site-packages|dist-packages|\.venv|venv|virtualenv|gems|rubygems|pkg[/\\]mod|Pods|Carthage|SourcePackages|vendor[/\\]bundle)(?:[/\\]|$)/;

/** True for a file below a directory of installed packages, with slashes of either kind (contract incidents 5.4.6, VENDOR). */
export function isVendorPath(file: string): boolean {
  return VENDOR.test(file);
}
