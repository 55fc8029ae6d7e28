/** Names that people write, one of each; none is what a machine made. */
export const REAL_FUNCTIONS = `
checkout settings products IndexOf8 user2factor base64url sha256sum utf8mb4 http2session ES2015Map getX509Certificate
toBase64 fromUtf8 readInt8 writeUInt16LE setUint32 getInt64BE hmacSha256 sha512_256 md5hex crc32 crc32c adler32 fnv1a
murmur3 xxh64 blake2b blake3 sha3_512 pbkdf2 aes256gcm aes128cbc chacha20poly1305 ed25519 x25519 secp256k1 p256 rsa2048
ipv4Part ipv6Zone isIPv4 isIPv6 parseIPv6 withIPv4 http2Connect http1Only tls13 tls1_3 ssl3 oauth2 oauth2Callback oauth1 saml2
s3Client S3Client s3_upload ec2Instances dynamo2 k8sUtils k8s i18n l10n a11y i18nText g11n p2p b2b b2c e2e e2eTest
web3 web3Provider vue3 react18 angular2 es6 es2015 es2020 ES5 ecma262 h264 h265 h264Decode mp3 mp4 mp4a m3u8 av1 vp9 webp
vector2 vector3d vec3 vec4 mat4 matrix4x4 mat4x4to point2d point3d canvas2d webgl2 d3d11 d3d12 x86 x86_64 arm64 aarch64 amd64
win32 win64 Win32Error mac68k i386 i686 float32 float64 int8 int16 int32 int64 uint8 uint128 bf16 f32add add32 utf8 utf16
utf16le UTF8Decoder utf8Text latin1 iso8859 iso8859_1 ISO8601 iso8601 parseIso8601 iso_8601 rfc2822 rfc3339 RFC3339 RFC2047
parseRfc7231Date cp1252 cp437 windows1252 gb2312 gb18030 big5freq shiftJis eucjp koi8r port8080 listen8443 localhost3000
report2024 year2038 y2k Y2KTest fy2023 q4_2024 budget_2025 day1 week52 top10 top100 first3 last7days level99 area51
step1 step2 step_1 step_2 handler1 handler2 test1 test_2 case10 case_11 phase3 part1 v1 v2 v1beta1 apiV2 api_v2 getV3 v1_2
log2 log10 log1p expm1 atan2 ln2 fma4 sse42 avx512 neon64 simd128 i2c spi1 uart0 gpio17 pin13 led2 usb3 sata3 pcie4
bcd2dec dec2bcd hex2bin bin2hex str2int int2str num2words text2speech speech2text deg2rad rad2deg rgb2hsl hsl2rgb cmyk2rgb
face2 decade2 cafe1 add10 fade2 feed24 dead2 abc123 addAll added deadbeat facade decade accede effaced defaced cabbage
checksum8 total2 total10 cart2 item1 item_2 row_10 col_3 md_6 lg_12 grid12 span2 h1 h2 th1 tr2 div4 mod7 gt5 lt10 eq0
MAX_VALUE MAX_INT32 SQRT1_2 LOG10E HTTP_404 HTTP_200_OK ERROR_404 E404 E11000 CODE_42 SIGUSR1 SIGUSR2 F12 CTRL_F5 ALT_F4
XMLHttpRequest XMLParse HTMLtoJS JSONStringify MySQLCfg jQueryUI OhMySMTP GraphQLError TypeORMError RxJSUtil WebGLContext
OAuthUrl iPhoneOS McDonald IOError EOFException NPECheck UIViewController NSObject CFRelease GLKit AVPlayer SKScene
mbstowcs wcstombs snprintf vsnprintf strtoull strtok_r memcpy_s wcsncpy_s fprintf sprintf strxfrm mktemp ftruncate pthread_create
gethostbyname2 inet_pton6 getaddrinfo epoll_create1 pipe2 dup3 accept4 preadv2 mmap64 stat64 lseek64 clone3 openat2 faccessat2
__init__ __main__ __call__ __str__ __enter__ __aexit__ __getattr__ __new__ __repr__ _private __private_name _onStdIO
valid? save! empty? []= <=> to_s to_i each_with_index update_attributes! method_missing respond_to? instance_eval _dump
parse_json_v2 get_user_by_id_2 sync_s3_to_gcs list_ec2 create_k8s_job md5_digest sha1_digest to_utf8 from_utf16 is_utf8
user_info get_info log_entry build_closure go_fast go_slow class_info size_info zip_info blizzard_info total_info
operator== operator[] ~Cart Cart::Cart std::vector total(int) -[Cart total:] +[Cart shared] cart_total_v2 cart_total_v3
tmpfiles tmpnam tmpdir templateOf part2of3 resume0 destroyAll coldStart israeliDate constprop llvmVersion
render404 render_500 page404 error500 status200 http404 onError404 case_404 test_404_page
pay_with_3ds verify3DSecure threeDs2 k1 k2 a1 b2 c3 x1 y1 x2 y2 dx1 dy2 p0 p1 q1 q3 r2d2 c3po u2f fido2 totp6 hotp8
`
  .trim()
  .split(/\s+/);

export const REAL_FILES = `
src/checkout.js src/dashboard-overview.js pages/Settings.tsx pages/products.vue lib/IndexOf8.js lib/user2factor.ts lib/base64url.js
lib/sha256sum.c lib/utf8mb4.php lib/http2session.mjs lib/ES2015Map.js lib/S3Client.js lib/Sha256Js.js lib/toBase64.js
lib/fromUtf8.js lib/genReqId.js lib/weekdays.js lib/big5freq.py lib/jQueryUI.js lib/MySQLCfg.php lib/OhMySMTP.js
src/cart-checkout.js src/cart-products.js src/lodash-throttle.js src/lodash-debounce.js src/app-settings.ts src/user-IndexOf8.js
src/three-vector3d.js src/render-canvas2d.js src/aws-s3client.js src/tls-x509cert.go src/vue-Checkout.vue src/my_products.py
src/test_cart.py src/cart_test.go src/cart.spec.ts src/cart.test.tsx src/cart.stories.mdx src/cart.module.css src/cart.d.ts
pages/404.js pages/500.tsx pages/[id].vue pages/[...slug].ts app/(shop)/page.tsx app/@modal/page.tsx routes/$cart.tsx routes/_index.tsx
models/v1.py models/v2.py api/v3.ts chunk-vendors.js js/chunk-common.js lib/python3.py lib/ed25519.py lib/ed448.py lib/_deb822.py
lib/face2.py lib/decade2.rb lib/Crc64NvmeJs.ts lib/AmazonS3.java lib/windows1252.js lib/gb18030.c lib/iso8601.rb lib/rfc3339.go
views/show.html.erb views/index.blade.php views/_form.html.haml views/cart.html.twig templates/cart.jinja2 com.shop.Cart
com.shop.v1.Cart com.shop.Cart$Item App\\Models\\Cart App\\Http\\Controllers\\V2\\CartController Shop.Cart Shop.Web.V2.CartController
github.com/acme/shop github.com/acme/shop/v2 gopkg.in/yaml.v3 shop::cart shop/cart Shop.CartLive.Index src/total.rs tmp/cart.rb
tmpfiles/cart.py log4j/cart.java s3/cart.py k8s/cart.yaml x86_64/cart.c release/cart.js build/cart.js deploy/cart.py Script.groovy
`
  .trim()
  .split(/\s+/);
