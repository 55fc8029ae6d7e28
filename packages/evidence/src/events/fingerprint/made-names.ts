/** A character or word that is part of every name that compilers and frameworks generate, and of few others. */
export const MAY_BE_MADE =
  /[\d@$#<[{?]|\.(?:cold|part|isra|constprop|llvm|lto_priv)|-fm$|^Container|_(?:ClientProxy|Subclass)$|_block_invoke$/;

/** Names that compilers and frameworks make, in the order in which parts are taken off. */
export const MADE_NAMES: readonly (readonly [RegExp, string])[] = [
  // Native programs: copies and parts of functions, versions of symbols, hashes of Rust and of IL2CPP.
  [/ ?\[clone [^\]]{0,80}\]/g, ''],
  [/(?:\.(?:cold|part|isra|constprop|llvm|lto_priv|resume|destroy)(?:\.\d{1,20})?){1,6}$/, ''],
  [/@{1,2}(?:plt|[A-Z]+(?:CXX)?_[\d.]+)$/, ''],
  [/::h[0-9a-f]{16}$/, ''],
  [/(?:::)?\{(?:closure|shim|impl|async_\w{1,20})(?:#\d{1,9})?\}/g, ''],
  [/17h[0-9a-f]{16}E?$/, ''],
  [/(?<=^_R\w{1,80})Cs[\dA-Za-z]{1,13}_/g, ''],
  [/_m[0-9A-F]{8,64}(?![\dA-Za-z])/g, ''],
  [/^caml([A-Z]\w{0,200}?(?:__|\.)\w{1,200}?)_\d{1,9}$/, '$1'],
  [/_[a-z][\da-zA-Z]{0,6}\d[\da-zA-Z]{0,6}_(?:con_)?info$/, ''],
  // Java, Kotlin, Scala, Groovy: lambdas, closures, proxies.
  [/^\$anonfun\$\d{1,6}(?:\$adapted)?$/, ''],
  [/^\$anonfun\$(.{1,200}?)(?:\$\d{1,6})?(?:\$adapted)?$/, '$1'],
  [/^\$r8\$lambda\$.{1,200}$/, ''],
  [
    /(?:\$\$|\$)(?:Lambda|MockitoMock|ByteBuddy|HibernateProxy|EnhancerBy\w{1,40}|FastClassBy\w{1,40}|ExternalSyntheticLambda|SpringCGLIB|jvsts?|Proxy\$)(?:[$/\d_].{0,200})?$/,
    '',
  ],
  [/_\$\$_(?:jvst|javassist|Weld)\w{0,200}$/, ''],
  [/(?:\$lambda(?:[-$]\d{1,6})?|[$_](?:run_)?closure\d{1,6}){1,6}$/, ''],
  [/\$(?:\d{1,6}|default|suspendImpl|sam)(?:\$\d{1,6}){0,4}$/, ''],
  [/^lambda\$(.{1,200}?)(?:\$\d{1,6})?$/, '$1'],
  [/(?<=[^$])\$\$anonfun(?:\$\d{1,6})?(?:\$adapted)?$/, ''],
  [/(?<=\w)_[\da-z]{5,7}_k\$$/, ''],
  [/^(Script)\d{1,9}(?=$|\$|\.groovy$)/, '$1'],
  [/\$\$superforward\d{0,6}$/, ''],
  [/(?:_ClientProxy|_Subclass|\$Proxy)$/, ''],
  [/(?:(?<=^\$line)|(?<=CodegenStage))\d{1,9}/, ''],
  // .NET: display classes, local functions, closures of F#, submissions, compiled views.
  [/<>c__DisplayClass\d{1,6}(?:_\d{1,6})?/g, '<>c'],
  [/^<(\w{1,200})>(?:[a-z]__)?(?:\w{1,200}\|)?\d{1,6}(?:_\d{1,6}){0,3}$/, '$1'],
  [/^<(\w{1,200})>\$$/, '$1'],
  [/@\d{1,9}(?:-\d{1,9}){0,4}(?=$|\.)/g, ''],
  [/#\d{1,9}$/, ''],
  [/\bclosure #\d{1,6} in /g, 'closure in '],
  [/^(lambda_method|DynamicMethod|CallSite\.Target)_?\d{1,9}/, '$1'],
  [
    /(_(?:aspx|ascx|asax|ashx|asmx|master|cshtml|vbhtml|erb|haml|slim|jbuilder|twig|jsp|ejs)_+)[\da-z]{0,40}?\d[\da-z]{0,40}(?:_\d{1,20})?$/i,
    '$1',
  ],
  [/^(__(?:Render|BuildControl|DataBind|PostBuild)__control)\d{1,6}$/, '$1'],
  // Vim: functions of one script, by the number under which it was read.
  [/^<SNR>\d{1,9}_/, ''],
  // Go and Erlang: functions inside of functions.
  [/(?:(?:\.func|\.gowrap|\.deferwrap|-range|[.·]dwrap[.·])\d{1,6}(?:\.\d{1,6}){0,6}|-fm){1,12}$/, ''],
  [
    /^"?-(\w{1,200}[?!]?)\/\d{1,3}(?:-(?:fun|anonymous|lc\$\^|bc\$\^|inlined|after\$\^)[\w$^/]{0,60}-?[\w-]{0,60})?-?"?$/,
    '$1',
  ],
  // Rails, Symfony, Objective-C.
  [/^(_callback_\w{1,60}?)_\d{1,9}$/, '$1'],
  [/^Container[\dA-Za-z]{7}(?=\\)/, 'Container'],
  [/^__\d{1,4}(?=[-+]\[)/, ''],
  [/_block_invoke(?:[_.]\d{1,6})?$/, '_block_invoke'],
  // Objects that were written as text, and names that a bundler made unique.
  [/#<(\w{1,100}):0x[0-9a-f]{4,16}[^>]{0,100}>/g, '$1'],
  [/__\d{1,9}(?=\$|$)/g, ''],
];
