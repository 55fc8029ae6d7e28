/** Texts with words for secrets, and with what looks like one, that hold none: one a line, escapes as in JSON. */
export const KEPT = String.raw`
password: ["This field may not be blank."]
undefined method 'password=' for nil
UPDATE sessions SET token = $1 WHERE id = $2
token=%s
password=********
password=***
password: ****
password=[FILTERED]
token=[Filtered]
api_key=***REDACTED***
arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/shop-AbCdEf
usage: login --user NAME --password PASSWORD
option --token requires an argument
docker run -u 1000:1000 shop
mot de passe oublié
A senha está incorreta
Password must contain at least one uppercase letter, one digit and one of !@#$%
password is too short (minimum is 8 characters)
Password can't be blank
The password field must be at least 8 characters.
Passwords do not match
password policy violated: at least 12 characters
password expired 3 days ago
password changed at 2024-01-02T10:00:00Z
password reset token has expired
password was incorrect
password is incorrect for user 42
password is required
incorrect password (attempt 3 of 5)
Invalid password hash length 59, expected 60
fe_sendauth: no password supplied
Access denied for user 'root'@'localhost' (using password: YES)
Access denied for user 'root'@'localhost' (using password: NO)
SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string
password_hash column missing
password_verify(): Argument #2 must be of type string, null given
Undefined index: password
KeyError: 'access_token'
Cannot read properties of undefined (reading 'token')
Cannot destructure property 'token' of 'req.body' as it is undefined.
null is not an object (evaluating 'this.session.token')
undefined is not an object (evaluating 'e.password.length')
Object reference not set: token
Missing required parameter: client_secret
Missing required env variable API_KEY
env: STRIPE_SECRET_KEY is missing
Invalid type for parameter token, value: None, type: <class 'NoneType'>
Field "password" is required
"password" length must be at least 8 characters long
password: String must contain at least 8 character(s)
Expected string, received null at "token"
secret: Invalid input
token: must not be null
must have required property 'token'
instance.token is not of a type(s) string
1 validation error for Settings\nsecret_key\n  Field required [type=missing, input_value={}, input_type=dict]
Unknown argument "password" on field "Mutation.login".
Variable "$password" of required type "String!" was not provided.
Unexpected token < in JSON at position 0
Unexpected token '<', "<!DOCTYPE "... is not valid JSON
Unexpected token '}', expected ','
Unexpected token: name (foo)
Unexpected token: punc ())
SyntaxError: Unexpected token 'export'
Unexpected token ILLEGAL
unexpected token "=>" (T_DOUBLE_ARROW), expecting ")"
syntax error, unexpected token ";", expecting "]"
JSON::ParserError: unexpected token at '<html>'
JSON::ParserError (767: unexpected token at '')
invalid character '<' looking for beginning of value
Uncaught SyntaxError: Unexpected token ':'
CssSyntaxError: <css input>:1:1: Unknown word
found unknown escape character; while scanning for the next token
org.xml.sax.SAXParseException: The element type "token" must be terminated
Illegal token at line 3, column 12
tokenizer error: token 5 of 12 is too long
This model's maximum context length is 4097 tokens. However, your messages resulted in 5012 tokens.
Rate limit reached: Limit 90000 tokens / min. Current: 89000 tokens / min
token budget exceeded: 120000 of 100000
Unexpected end of input, token EOF
token recognition error at: '#'
unknown token kind TOKEN_LPAREN
Token expired at 1714557600
token is expired by 3h12m
token has invalid claims: token is expired
jwt must be provided
jwt signature is required
invalid token
CSRF token mismatch.
ActionController::InvalidAuthenticityToken
ForbiddenError: invalid csrf token
Missing CSRF token in session
The CSRF tokens do not match.
Token is not active
Token used too early, 1714557600 < 1714557601. Check that your computer's clock is set correctly.
No access token was found in cache
refresh token expired or revoked
invalid_grant: Bad Request
invalid_client: Client authentication failed
AADSTS700082: The refresh token has expired due to inactivity.
The security token included in the request is expired
The security token included in the request is invalid.
ExpiredToken: The provided token has expired.
SignatureDoesNotMatch: The request signature we calculated does not match the signature you provided.
AuthorizationHeaderMalformed: the region 'us-east-1' is wrong; expecting 'eu-west-1'
Could not load credentials from any providers
NoCredentialsError: Unable to locate credentials
DefaultCredentialsError: Could not automatically determine credentials.
Invalid credentials
Invalid login: 535-5.7.8 Username and Password not accepted.
535 5.7.8 Error: authentication failed
Full authentication is required to access this resource
Authorization header is missing
Authorization: header not found
Bearer error="invalid_token", error_description="The token expired at '05/01/2024 10:00:00'"
WWW-Authenticate: Basic realm="Restricted"
IDX10223: Lifetime validation failed. The token is expired.
io.jsonwebtoken.ExpiredJwtException: JWT expired at 2024-05-01T10:00:00Z. Current time: 2024-05-01T10:05:00Z
Not enough segments
Error decoding token: Signature verification failed
invalid api key
API key not valid. Please pass a valid API key.
API key expired. Please renew the API key.
API key missing: set OPENAI_API_KEY
Incorrect API key provided
The api_key client option must be set either by passing api_key to the client or by setting the OPENAI_API_KEY environment variable
secret "shop-db" not found
MountVolume.SetUp failed for volume "certs" : secret "shop-tls" not found
Error: secret shop/db-main not found in namespace default
ResourceNotFoundException: Secrets Manager can't find the specified secret.
secret santa
the secret ingredient is missing
PIN must be 4 digits
GPIO pin 17 busy
pin count mismatch: 40 pins
OTP must have 6 digits
OTP is valid for 10 minutes
verification code has expired
security code is required
exit code 139
status code 404
code: ECONNREFUSED
zip code 12345 is invalid
postal code 1234 AB
promo code SAVE20 is not valid
gift card code must have 16 characters
your code 12 is wrong at line 3
session expired
session id is invalid
session: undefined
cookies are disabled
Cookie: none sent
Cookie parse error at 12
cookie consent: accepted
key: Enter
key: ArrowDown
press any key: y
primary key: id
key: users:42:profile
cache miss for key session:abc
public key: ssh-ed25519
object key: images/2024/cat.png
sort key: createdAt
translation missing: de.auth.password.too_short
Missing message: "auth.token.expired" for locale: "de"
key not found: :password
at Object.<anonymous> (/srv/app/secrets/token.js:1:1)
File "/srv/app/auth/password_reset.py", line 42, in reset_password
at Shop.Auth.PasswordHasher.Verify(String password, String hash) in C:\\src\\PasswordHasher.cs:line 42
#0 /srv/app/Token.php(31): App\\Token->verify()
#1 /srv/vendor/laravel/framework/src/Illuminate/Foundation/Http/Middleware/VerifyCsrfToken.php(78): Illuminate\\Foundation\\Http\\Middleware\\VerifyCsrfToken->handle()
main.(*Server).checkToken(0xc000010000, 0x1)\n	/srv/app/token.go:42 +0x1a
https://cdn.example/assets/password-CxYz12Ab.js:1:2045
https://app.example/reset-password
https://app.example/sessions/new
POST /oauth/token 400
POST /api/auth/session 401
GET /.well-known/secrets.json
ENOENT: no such file or directory, open '/run/secrets/db_password'
open /var/run/secrets/kubernetes.io/serviceaccount/token: no such file or directory
Failed to read secret file /run/secrets/jwt_private_key: EACCES
Cannot find module './password'
Cannot find module '@shop/auth-token'
NameError: name 'api_key' is not defined
ReferenceError: apiKey is not defined
error TS2339: Property 'password' does not exist on type 'User'.
undefined variable $password
Call to undefined method App\\User::createToken()
cannot use token (variable of type string) as []byte value
column users.password does not exist
null value in column "password" of relation "users" violates not-null constraint
no such column: token
ERROR: relation "oauth_access_tokens" does not exist
duplicate key value violates unique constraint "users_token_key"
SELECT id, password FROM users WHERE email = $1
DELETE FROM sessions WHERE expires_at < now()
  token: string;
  password?: string
function login(user, password) {
token = await getToken()
headers["Authorization"] = f"Bearer {token}"
self.token = token
user.password == password
token !== expectedToken
validates :password, length: { minimum: 8 }
<input type="password" name="password">
<label for="password">Password</label>
token?.length
TokenKind::Eof
{{ csrf_token() }}
password=<password>
password=<hidden>
Authorization: Bearer <token>
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
HEAD is now at 9fceb02 Fix the token refresh
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
ghcr.io/acme/shop:sha-9fceb02d0ae5
order 3f2504e0-4f89-41d3-9a0c-0305e82c3301 not found
trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7
x-amz-request-id: 7A1B2C3D4E5F6A7B
x-amz-id-2: aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eFgH3iJ6kLaB3dE6gH9jK2mN5p=
integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NYrY6ZbmJ0m0a1q9D
tx 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b reverted
ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV
pi_3MtwBwLkdIwHu7ix28a3tqPa requires_action
evt_1NG8Du2eZvKYlo2CUI79vXWy
price_1MoBy5LkdIwHu7ixZhnattbh is inactive
i-0abcd1234efgh5678 terminated
projects/shop-123/secrets/db-password/versions/latest
vault:secret/data/shop#password
/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3301/resourceGroups/x
order 4242 total 1234567890123
isbn 9780306406157
imei 490154203237517
timestamp 1714557600000
version 1.2.3-beta.4+exp.sha.5114f85
index-BxKnQzTr.js
pk_test_TYooMQauvdEDq54NiTphI7jx
ca-app-pub-3940256099942544~3347511713
G-ABCDEF1234
prj_aB3dE6gH9jK2mN5pQ8sT1vW4
dpl_aB3dE6gH9jK2mN5pQ8sT1vW4
live_chat_widget_loader_failed_to_start
re_export_all_modules_from_index
sdk-core-browser-module-loader
pat-riot-games-service-name
tfp_something
pul-request-merge-queue-length
fw_update_pending_for_device_class_a
y0_and_y1_are_coordinates_of_points
squ_are_root_of_negative_number_error
cio_cluster_health
dp.st is a path
s.replace(/a/g) of s.charAt
ticket=TCK-12345
ticket: JIRA-12
{"key":"abc","value":"x"}
{"name":"password","type":"string","required":true}
{"field":"password","message":"is too short"}
{"name":"token","value":null}
{"code":"invalid_type","expected":"string","received":"undefined","path":["token"],"message":"Required"}
{"code":"ER_BAD","message":"x"}
{"code":"auth/wrong-password"}
FirebaseError: Firebase: Error (auth/wrong-password).
secretOrPublicKey must be provided
ERR_OSSL_EVP_UNSUPPORTED
tls: private key does not match public key
ssh: handshake failed: ssh: unable to authenticate, attempted methods [none password], no supported methods remain
auth=none
pin: GPIO17
PWD=/srv/app
issue #42 (bug): Auth->login() fails
image shop:v1.2@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
node@18.2.0/bin
identified by name
option -token is required
warning: unused variable: ‘password’: help: prefix it with an underscore
warning: unused variable: "token": help: prefix it with an underscore
ssh://git@github.com/acme/shop.git: not found
git clone git+ssh://git@github.com/acme/shop.git#v1.2.3 failed
docker exec -u www-data:www-data shop php artisan migrate
sudo -u postgres:postgres psql
useradd --user deploy:staff
PIN: 3 attempts left
senha: obrigatória
Passwort: ungültig
mot de passe : périmé
contraseña: mínimo 8 caracteres
password: 8 characters minimum
{"password":["obligatoire"]}
pod api-3f2504e0-4f89-41d3-9a0c-0305e82c3301 evicted
{"clave":"estado","valor":"pagado1"}
assertion="response.status === 200"
session=3f2504e0-4f89-41d3-9a0c-0305e82c3301 ended
ssh -i key -p 2222 deploy@host: exit code 255
{"errors":{"password":["has already been used"],"token":["can't be blank"]}}
{"password":"required|string|min:8"}
{"next_page_token":"CAEaAggB"}
pageToken=CAUQAA&maxResults=10
index: token_1 dup key: { token: null }
secretKeyRef: {name: app, key: password}
pins: 1,2,3
token=nil
password: (hidden)
pwd: /srv/app/current
GOOGLE_APPLICATION_CREDENTIALS=/srv/key.json
Authorization: Digest realm missing
mask_token=[MASK]
password_strength=weak
pwdChanged=2024
salt: pepper
salt-minion: 3006.4
PUBLIC_KEY=aB3dE6gH9jK2mN5pQ8sT1vW4
ROUTING_KEY=order.created.v2.eu-west-1
gem push --key rubygems my-gem-1.0.0.gem
echo "$PASSWORD" | docker login -u ann --password-stdin
security find-identity -v -p codesigning
password for ann is expired
cvc check failed
terraform: name = "a" -> "b"
Driver={SQL Server};Server=db;Database=shop
vercel env add API_TOKEN production
vercel env pull .env.local
sip:ann@pbx.example.com
- name: DB_HOST\n  value: db.example
- name: TOKEN_TTL\n  value: 3600
- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n      key: password
- name: DB_PASSWORD\n  value: $(DB_PASSWORD)
- name: password\n  required: true
- name: DB_PASSWORD\n- name: PORT\n  value: 8080
(password required)
(error :password "is required")
(defun check-password (password) nil)
(let ((token (read-token))) token)
{:password nil}
(format "password %s" x)
(:token :string)
gh auth login --with-token < token.txt
turn:turn.example:3478?transport=udp
(get-in config [:db :password])
localStorage.removeItem("refresh_token")
AsyncStorage.getItem('authToken')
gh secret list
kubectl get secret db -o yaml
- name: PASSWORD_MIN\n  description: shortest\n  value: 8
expires_in=3600 token_type=Bearer scope=read
-p, --password    password of the user
restic --password-command "pass show restic" backup
password: ENC[AES256_GCM]
aws ssm get-parameter --name /prod/db/password --with-decryption
Bearer scope=read
password: !!null
password: !vault |
eos_token='</s>'
{"errors":{"password":"is required"}}
{"token":["has expired"]}
validation failed on field password: min=8
otp_app: :shop
aws secretsmanager get-secret-value --secret-id prod/db
"kind": "ServiceAccount", "secrets": []
PasswordEncoder: BCryptPasswordEncoder@1a2b3c
input_ids tokens=[101, 2023, 102]
deploy dpl_5WJWYSyB7BpgTj3EuwF37WMRBXBtPQ2iTM
token: YOUR_TOKEN
token=...
api_key=your-api-key
auth: [object Object]
openssl req -new -key key.pem -out csr.pem
pino-http-send -u http://localhost:8080/logs
tokens used: 1,234 of 100,000
"password": { "type": "string" }
cookie=accepted
No such token: 'tok_1NxYzA2eZvKYlo2C'
near "token": syntax error
tokens: string[]
  12 |   const token = useToken(request);\n> 13 |   const auth = useAuth()
  File "/a.py", line 3, in f\n    token = self.make_token(user)\nKeyError: 'x'
Child exited code=null sig=SIGTERM
PASSWORD="$DB_PASSWORD" ./run.sh
{"token":"INVALID_TOKEN"}
user 715823940017263844 not found
def load(self, password=None):
Headers { authorization: Sensitive }
[token, expired]
sign(options.privateKey, 'base64');
`;
