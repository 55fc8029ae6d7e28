/** Statements and lines of code that texts show, whose values are expressions: one a line. */
export const SOURCE_IN_TEXTS = `
select id, token from sessions where token = :token and expires_at > :now
UPDATE users SET password = @Password WHERE id = @p0
SELECT 1 FROM s JOIN t ON s.token = t.token
'password' => ['required', 'confirmed'],
  token = os.environ["API_TOKEN"]
const secret = process.env.JWT_SECRET!;
user.update!(password: params[:password])
throw new Error("Invalid token: " + token);
fmt.Errorf("parse token: %w", err)
`;

/** Texts with names of files, classes, settings and answers, which hold a word for secrets: one a line. */
export const OTHER_NAMES = `
ActionDispatch::Cookies::CookieOverflow: _shop_session cookie overflowed with size 4103 bytes
{"password":"Too short"}
oauth2: cannot fetch token: 401 Unauthorized
Failed to compile token.ts: TS1005: ';' expected.
tokens_per_minute: 90000
PASSWORD_HASHERS: ['django.contrib.auth.hashers.PBKDF2PasswordHasher']
SESSION_COOKIE_SECURE=True
`;

/** Source lines whose values are expressions, one a line. */
export const KEPT_SOURCE = `
const token = getToken();
const password = req.body.password;
  password: z.string().min(8),
password = request.form["password"]
let token = localStorage.getItem("token");
$password = $_POST['password'];
@token = params[:token]
connect(password=db_password, token=self.token)
apiKey: import.meta.env.VITE_API_KEY,
auth = Auth::Token.new(params[:token])
password=$DB_PASSWORD
console.log('password: ', password);
logger.debug("secret=" + secret)
print("api_key:", api_key)
raise AuthError(f"bad token: {token!r}")
echo "Password: ";
password = getpass.getpass("Password: ")
password: { type: String, required: true, select: false },
cookie: { secure: true, maxAge: 60000 },
type Secret = { key: string };
password = models.CharField(max_length=128)
$token = $this->tokens->create($user);
'token' => $user->createToken('api')->plainTextToken,
const hasTokens = (error) => amountOf(error) > 0;
token.value = token.value.replace(/^[^<]*</, '');
const readTokens = async (error) => {
max_input_tokens: 272e3,
`;
