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
getElementsByTagName2 handleClick1a total_2024_01 Vue3Component ReactDOM18 fetchV2Users stepOneOf3 md5sum_file
uuid4 uuidv4 uuid_v7 nanoid21 base32hex base58check base62 base85 ascii85 z85 crc16ccitt fletcher16 djb2 sdbm
siphash24 cityhash64 t1ha2 wyhash rot13 rc4 des3 tripleDes3 blowfish448 gost89 sm2 sm3 sm4 ecdsa_p256_sha256
es256k hs512 ps384 rs256 x509v3 pkcs12 pkcs7 pkcs1v15 asn1der rfc5280 rfc_6749 ISO27001 ISO3166 iso_3166_1
iso639 iso4217 EAN13 UPC12 ISBN10 isbn13 GTIN14 sha1 SHA1 Sha1Hash sha224 T4Template c99 c11 cpp17 cxx20 gnu11
py27 python3 py3k ruby27 php8 php81 java11 jdk17 net48 netstandard20 go118 rust2021 es2022 vb6 f77 fortran90
cobol85 a52dec aac2 flac24 opus48 dolby51 stereo20 surround71 dts71 hdr10 hdr10plus 4k uhd8k p1080 p720 r1080p
mpeg2 mpeg4 jpeg2000 tiff6 gif89a png8 png24 bmp32 rgb565 rgba8888 argb4444 RGBA8888 yuv420 yuv422p nv12 nv21
i420 p010le bt709 bt2020 srgb2linear d65 d50 usb30 bt40 ble5 wifi6 ieee80211 ieee802_15_4 ipv4ToInt ip2long
long2ip inet6 port443 port_443 port80 tcp6 udp4 sctp1 mysql8 pg13 postgres14 redis7 mongo4 es7 solr8 kafka2
rabbit3 s3fs gcs2bq bq2gcs r2 d1 kv2 e2eEncrypt a2z g2p p2sh bip32 bip39 bip44 eip1559 erc20 erc721 erc1155
ERC1155 ERC721A eip712 secp256r1 bls12_381 bn254 keccak256 ripemd160 scrypt1 argon2id bcrypt2b sha3 kyber768
dilithium3 falcon512 x3dh dh2048 rsa4096 aes192 des56 wpa2 wep40 tea32 xtea64 k256 b64decode b64_encode b32hex
d20 d6roll roll3d6 xyz123 foo1 bar2 baz42 b1c1 test123 test1234 tmp1 tmp_2 arr2d arr3d array2 list2map map2list
obj2str xml2json json2xml csv2tsv yaml2json html2text md2html pdf2png tex2pdf svg2png i2s s2i t2s s2t l2norm
l1loss relu6 conv2d conv1d conv3d maxpool2d resnet50 vgg16 yolov5 yolov8 bert12 gpt4 gpt3_5 t5 llama2 llama3_70b
fp16 fp8e4m3 int4 q4_0 q8_1 lstm1 adam2 sgd0 cnn3 r2score f1score f1_score p99 p95 p50 p999 med3 mad2 var0 std1
chi2 chi2test t2test anova1 anova2 fisher2x2 mcc4 auc10 top5 top_5 k10 fold5 epoch100 batch32 batch_64 lr1e3
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
models/v1.py models/v2.py api/v3.ts chunk-vendors.js js/chunk-common.js lib/cart-jpeg2000.js lib/cart-rgba8888.js lib/cart-Sha1Hash.js lib/cart-x509cert.go lib/python3.py lib/ed25519.py lib/ed448.py lib/_deb822.py
lib/face2.py lib/decade2.rb lib/Crc64NvmeJs.ts lib/AmazonS3.java lib/windows1252.js lib/gb18030.c lib/iso8601.rb lib/rfc3339.go
views/show.html.erb views/index.blade.php views/_form.html.haml views/cart.html.twig templates/cart.jinja2 com.shop.Cart
com.shop.v1.Cart com.shop.Cart$Item App\\Models\\Cart App\\Http\\Controllers\\V2\\CartController Shop.Cart Shop.Web.V2.CartController
github.com/acme/shop github.com/acme/shop/v2 gopkg.in/yaml.v3 shop::cart shop/cart Shop.CartLive.Index src/total.rs tmp/cart.rb
tmpfiles/cart.py log4j/cart.java s3/cart.py k8s/cart.yaml x86_64/cart.c release/cart.js build/cart.js deploy/cart.py Script.groovy
`
  .trim()
  .split(/\s+/);
