import { holdsSecret, isSecretKey } from '@culprit/contract/events/secret-keys';
import { redactPairs, redactServerForms } from '@culprit/contract/events/secret-texts';
import { describe, expect, it } from 'vitest';
import { redactText } from '../../src/events/redact/redact-values.ts';
import { charactersRead } from '../support/characters-read.ts';

/** docs/contract/clients.md 10.1: the table that libraries, relay, service, command line and MCP share. */

const SECRET_KEYS = `
  password_confirmation passwordConfirm newPassword current_password confirmPassword passwordHash password1 PGPASSWORD
  passwd pwd MYSQL_PWD passphrase passcode db_pass SMTP_PASS php-auth-pw senha user[password] $password
  secret client_secret secretKey AWS_SECRET_ACCESS_KEY SECRET_KEY_BASE vault_secret_id secrets
  token x-access-token x-session-token private-token x-vault-token x-amz-security-token x-shopify-access-token reset_token
  resetPasswordToken api_token authToken csrfmiddlewaretoken __RequestVerificationToken refresh_tokens jwtToken tokens
  apikey APIKey api.key x-api-key x-rapidapi-key ocp-apim-subscription-key x-functions-key privateKeyPem accessKeyId
  SharedAccessKey accountKey encryption_key APP_KEY
  authorization Proxy-Authorization x-authorization auth x-auth basic_auth authHeader x-auth-key
  sig signature X-Amz-Signature stripe-signature x-hub-signature-256 x-shopify-hmac-sha256 X-Amz-Credential credentials
  jwt bearer otp totp otp_code pin userPIN pin_code cvv cvc2 ssn socialSecurityNumber creditCard card_number security_code
  backup_codes code_verifier cookie Set-Cookie cookies sessionid PHPSESSID JSESSIONID connect.sid sid _csrf x-xsrf-token
  SAMLResponse seed_phrase
`;

/** Words that only sound like secrets, and properties of secrets. */
const PLAIN_KEYS = `
  author authors authorized authority authentication www-authenticate secretary secretion tokenizer tokenize tokenized
  pinned pinata spin shipping opinion compass bypass passenger passed passport pass_rate signal sign signed design assign
  key keys cache_key primaryKey public_key foreign_key idempotency-key object_key monkey keyboard
  code status_code errorCode country_code session sessions session_id sessionId client_id user_id
  tokens_used token_count tokenCount token_type tokenId token_expires_at expires_in passwordLength password_hint
  password_changed_at passwordPolicy pin_enabled pinType signature_help signatureHelp signature_version
  signatureAlgorithm secret_name auth_method authType auth_provider authorization_url cookie_consent cookieDomain card_type
`;
const words = (text: string) => text.trim().split(/\s+/);

describe('a key', () => {
  it.each(words(SECRET_KEYS))('%s names a secret, in any case of letters', (key) => {
    for (const spelling of [key, key.toUpperCase().replace(/(?<=[A-Z])-/g, '_'), `old_${key}`]) {
      // Nothing separates the words of a camel that is written in capitals.
      if (spelling !== key && /[a-z][A-Z]/.test(key)) continue;
      if (/^old_.*sid$/.test(spelling)) continue;
      expect(isSecretKey(spelling), spelling).toBe(true);
      expect(holdsSecret(spelling, 'x1'), spelling).toBe(true);
    }
  });

  it.each(words(PLAIN_KEYS))('%s names none', (key) => {
    expect(isSecretKey(key)).toBe(false);
    expect(redactText(`/x?${key}=abc1 {"${key}":"abc1"}`)).toBe(`/x?${key}=abc1 {"${key}":"abc1"}`);
  });

  it('names none where its value is a switch, nothing, or a count', () => {
    for (const value of [null, undefined, true, false, '', 'false', 'same-origin']) {
      expect(holdsSecret('credentials', value)).toBe(false);
    }
    for (const value of [512, 0, '512', '0.25']) expect(holdsSecret('max_tokens', value)).toBe(false);
    for (const key of ['pin', 'otp', 'password', 'cvv']) expect(holdsSecret(key, 1234)).toBe(true);
    for (const value of ['abc', ['a'], { a: 1 }, () => 1]) expect(holdsSecret('tokens', value)).toBe(true);
  });
});

describe('a secret that its text names', () => {
  it.each([
    ['{"username":"ann","password":"PW1"}', '{"username":"ann","password":"[REDACTED]"}'],
    ['{"a":{"pin":1234,"b":2}}', '{"a":{"pin":"[REDACTED]","b":2}}'],
    ['{"tokens":["a",{"b":"c"}],"n":1}', '{"tokens":"[REDACTED]","n":1}'],
    [
      '"{\\"user\\":\\"ann\\",\\"password\\":\\"P\'W1\\"}"',
      '"{\\"user\\":\\"ann\\",\\"password\\":\\"[REDACTED]\\"}"',
    ],
    ['{"password":"pa\\"ss","b":1}', '{"password":"[REDACTED]","b":1}'],
    ['failed: {"password":"cut off', 'failed: {"password":"[REDACTED]'],
    ['username=ann&password=PW1&x=1', 'username=ann&password=[REDACTED]&x=1'],
    ['user[password]=PW1&user%5Bpin%5D=1234', 'user[password]=[REDACTED]&user%5Bpin%5D=[REDACTED]'],
    ['/x?reset_token=a,b;c&d=2', '/x?reset_token=[REDACTED]&d=2'],
    ['https://h/x#access_token=abc&y=1', 'https://h/x#access_token=[REDACTED]&y=1'],
    ['(https://h/x?sig=abc%3D)', '(https://h/x?sig=[REDACTED])'],
    [
      'Server=db;User Id=sa;Password=Pw,1;Encrypt=true',
      'Server=db;User Id=sa;Password=[REDACTED];Encrypt=true',
    ],
    ['AccountName=x;AccountKey=abc+/==;Suffix=y', 'AccountName=x;AccountKey=[REDACTED];Suffix=y'],
    ['host=db password=PW1 dbname=x', 'host=db password=[REDACTED] dbname=x'],
    ['PGPASSWORD=PW1 psql\nAPI_KEY=abc', 'PGPASSWORD=[REDACTED] psql\nAPI_KEY=[REDACTED]'],
    ['mysql --password=PW1 -h x', 'mysql --password=[REDACTED] -h x'],
    ['Cookie: a=b; theme=dark\r\nHost: x', 'Cookie: [REDACTED]\r\nHost: x'],
    ['Authorization: Token abc123\r\nHost: x', 'Authorization: [REDACTED]\r\nHost: x'],
    ['Authorization: Digest username="u", response="r1"', 'Authorization: [REDACTED]'],
    ['Authorization: Bearer abc.DEF-123, again', 'Authorization: Bearer [REDACTED], again'],
    ["-H 'X-Api-Key: abc123' https://h", "-H 'X-Api-Key: [REDACTED]' https://h"],
    [
      "{ username: 'ann', password: 'PW1', pin: 1234 }",
      "{ username: 'ann', password: '[REDACTED]', pin: [REDACTED] }",
    ],
    ['{"user"=>{"password"=>"PW1"}}', '{"user"=>{"password"=>"[REDACTED]"}}'],
    ['mysql --password PW1 -h x', 'mysql --password [REDACTED] -h x'],
    ["spawn [ '--api-key', 'abc1', '--out', 'x' ]", "spawn [ '--api-key', '[REDACTED]', '--out', 'x' ]"],
    ['curl -u ann:PW1 https://h', 'curl -u ann:[REDACTED] https://h'],
    ['mysql -h db -pPW1 shop', 'mysql -h db -p[REDACTED] shop'],
    ['app:PW1@tcp(db:3306)/shop', 'app:[REDACTED]@tcp(db:3306)/shop'],
    ['map[a:1 password:PW1 b:2]', 'map[a:1 password:[REDACTED] b:2]'],
    ['{User:ann Password:PW1}', '{User:ann Password:[REDACTED]}'],
    ['?to=https%3A%2F%2Fs%2F%3Ftoken%3DPW1%26a%3Db', '?to=https%3A%2F%2Fs%2F%3Ftoken%3D[REDACTED]%26a%3Db'],
    ['/in?r=%252Fa%253Ftoken%253DPW1', '/in?r=%252Fa%253Ftoken%253D[REDACTED]'],
    ['<s:Password Type="x">PW1</s:Password>', '<s:Password Type="x">[REDACTED]</s:Password>'],
    ['form-data; name="password"\r\n\r\nPW1\r\n--b', 'form-data; name="password"\r\n\r\n[REDACTED]\r\n--b'],
    ['postgres://app:s3cret@db/x?sslpassword=PW1', 'postgres://[REDACTED]@db/x?sslpassword=[REDACTED]'],
    ['postgres://app:p/w#1@db:5432/x', 'postgres://[REDACTED]@db:5432/x'],
    ['mysql://app:p@w/1@db/x timed out', 'mysql://[REDACTED]@db/x timed out'],
    ['https://ann:p?w@proxy:8080/', 'https://[REDACTED]@proxy:8080/'],
    ['app:p/w@1@tcp(db:3306)/shop', 'app:[REDACTED]@tcp(db:3306)/shop'],
    ['jdbc:oracle:thin:scott/tiger@//db:1521/x', 'jdbc:oracle:thin:scott/[REDACTED]@//db:1521/x'],
    ['/back?code=4/0AX4XfWh&scope=a&state=x', '/back?code=[REDACTED]&scope=a&state=x'],
    ['/back?state=x&code=4/0AX4XfWh', '/back?state=x&code=[REDACTED]'],
    ['AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', '[REDACTED] [REDACTED]'],
    ['AUTH hunter', 'AUTH [REDACTED]'],
    ['sending AUTH default hunter2 failed', 'sending AUTH default [REDACTED] failed'],
    ['AUTH hunter2 failed', 'AUTH [REDACTED] failed'],
    ['HELLO 3 AUTH ann hunter2 SETNAME x', 'HELLO 3 AUTH ann [REDACTED] SETNAME x'],
    ['AUTH PLAIN AGFubgBodW50ZXIy', 'AUTH PLAIN [REDACTED]'],
    ['CONFIG SET requirepass hunter2', 'CONFIG SET requirepass [REDACTED]'],
    ['ACL SETUSER ann on >hunter2 ~*', 'ACL SETUSER ann on >[REDACTED] ~*'],
    ["ALTER USER ann PASSWORD 'hunter2'", 'ALTER USER ann PASSWORD [REDACTED]'],
    ["CREATE USER ann IDENTIFIED BY 'hunter2'", "CREATE USER ann IDENTIFIED BY '[REDACTED]'"],
    ['redis-cli -p 6379 -a hunter2 ping', 'redis-cli -p 6379 -a [REDACTED] ping'],
    ['docker login -u ann -p hunter2', 'docker login -u ann -p [REDACTED]'],
    ['the password is hunter2.', 'the password is [REDACTED]'],
    ['wrong password "hunter" of ann', 'wrong password [REDACTED] of ann'],
    ['Error: password:dkvnwkaxicnwekfik', 'Error: password:[REDACTED]'],
    ["got {'password': b'hunter2'}", "got {'password': b'[REDACTED]'}"],
    ['["password"]=>\n  string(7) "hunter2"', '["password"]=>\n  string(7) "[REDACTED]"'],
    ['sqlplus scott/tiger@orcl', 'sqlplus scott/[REDACTED]@orcl'],
    ['PIN 4711 refused', 'PIN [REDACTED] refused'],
    ['Your verification code is 123456', 'Your verification code is [REDACTED]'],
    ['token 5f2b9c3d4e5f60718293 expired', 'token [REDACTED] expired'],
    ['IBAN DE89 3704 0044 0532 0130 00 refused', 'IBAN [REDACTED] refused'],
    ['DE89370400440532013000 PAID TWICE', '[REDACTED] PAID TWICE'],
    ['refund to GB82WEST12345698765432', 'refund to [REDACTED]'],
  ])('%j becomes %j, and again the same', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(expected)).toBe(expected);
  });

  it.each([
    'invalid token: expected a string',
    'Unexpected token: }',
    'Unexpected token = in JSON at position 4',
    'JsonWebTokenError: invalid signature',
    'TokenExpiredError: jwt expired',
    'at login (/srv/src/auth/token.ts:12:5)',
    'run@https://cdn.example/password.js:10:5',
    'if (token === expected) return',
    'Invalid password: too short',
    'max_tokens=256&tokens_used=12&author=ann',
    '{"password":null,"credentials":"include","token_count":7}',
    'password=&next=1',
    'type Props = { password:string; token:number }',
    'scopes token:write and secret:list',
    'password:required|min:8',
    'http://localhost:3000/@vite/client',
    'http://[::1]:3000/@vite/client',
    'redis://cache:6379/0?user=a@b',
    'mongodb://a:27017,b:27017/shop?x=a@b',
    'AUTH failed: NOAUTH Authentication required.',
    'SMTP AUTH CRAM-MD5 not supported',
    'AUTH 401 from https://id.example/x',
    'password authentication failed for user "ann"',
    'password must have 8 characters',
    'password hash bcrypt2 at password.js:12',
    'requirepass is not set',
    'error code is 12345, exit code 137',
    'GET /x?code=E1234567&page=2',
    'Unexpected token a1b2 in JSON',
    'token /srv/app/token2/cart.js was not found',
    'DE12 3456 7890 1234 5678 90 fails the check',
    'commit AB12CD34EF56AB78CD90',
  ])('%j keeps its words', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it.each([
    '=?',
    'pin=',
    'pin:',
    '"pin":',
    'a"=',
    '\\"',
    'pin="\\',
    'cookie: ',
    'authorization: a ',
    'pin=[',
    'pin={',
    'pin=x[REDACTED',
    '?pin=x[REDACTED',
    'pin=,pin=[REDACTED]x,',
    '--pin ',
    '<pin>',
  ])('is looked for in proportion to a text of %j', (unit) => {
    const text = unit.repeat(100_000 / unit.length);
    expect(charactersRead(() => redactServerForms(redactPairs(text)))).toBeLessThan(60 * text.length);
  });
});
