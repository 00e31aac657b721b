/** The forms in which an upstream may quote a secret, by name. */
export function secretEncodings(secret: string): readonly (readonly [name: string, text: string])[] {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const hex = (text: string) => Buffer.from(text).toString('hex')
  const perByte = (text: string, write: (code: number) => string) =>
    Array.from(Buffer.from(text), write).join('')
  const padded = (code: number, length = 2) => code.toString(16).padStart(length, '0')
  const percent = (text: string) => perByte(text, (code) => `%${padded(code)}`)
  const unicode = (text: string) => perByte(text, (code) => `\\u${padded(code, 4)}`)
  const url = `https://user:${secret}@node.example/v1`
  return [
    ['plain', secret],
    ['in upper case', secret.toUpperCase()],
    [
      'in mixed case',
      secret.replaceAll(/[a-z]/g, (letter, at: number) => (at % 2 ? letter : letter.toUpperCase())),
    ],
    ['in a URL', url],
    ['in a query', `https://node.example/?key=${secret}&x=1`],
    ['in a path', `/rpc/${secret}/evm`],
    ['in quotes', `"${secret}"`],
    ['in parentheses', `(${secret})`],
    ['behind a colon', `key:${secret}`],
    ['in a stack', `Error: failed\n    at fetch (${url}:1:2)`],
    ['in JSON', JSON.stringify({ url })],
    ['in JSON twice', JSON.stringify(JSON.stringify({ url }))],
    ['as a key of JSON', JSON.stringify({ [secret]: 1 })],
    ['in JSON with escaped slashes', url.replaceAll('/', '\\/')],
    ['in escapes of JSON', unicode(secret)],
    [
      'in escapes of JSON in upper case',
      unicode(secret).replaceAll(/u00../g, (code) => `u${code.slice(1).toUpperCase()}`),
    ],
    ['half in escapes of JSON', `${secret.slice(0, 12)}${unicode(secret.slice(12))}`],
    ['in hex escapes', perByte(secret, (code) => `\\x${padded(code)}`)],
    ['percent-encoded', percent(secret)],
    ['percent-encoded in upper case', percent(secret).toUpperCase()],
    ['half percent-encoded', `${percent(secret.slice(0, 5))}${secret.slice(5)}`],
    ['percent-encoded URL', encodeURIComponent(url)],
    ['percent-encoded twice', encodeURIComponent(percent(secret))],
    ['percent-encoded three times', encodeURIComponent(encodeURIComponent(percent(secret)))],
    ['in decimal references of HTML', perByte(secret, (code) => `&#${code};`)],
    ['in hexadecimal references of HTML', perByte(secret, (code) => `&#x${padded(code)};`)],
    ['in references of HTML without semicolons', perByte(secret, (code) => `&#x${padded(code)}`)],
    ['in a URL with references of HTML', url.replaceAll('/', '&sol;').replaceAll(':', '&colon;')],
    ['hex', hex(secret)],
    ['hex in upper case', hex(secret).toUpperCase()],
    ['hex with a prefix', `0x${hex(secret)}`],
    ['hex of a URL', hex(url)],
    ['hex behind a digit', `a${hex(secret)}`],
    ['base64', base64(secret)],
    ['base64 without padding', base64(`${secret}!`).replaceAll('=', '')],
    ['base64url', Buffer.from(`??>${secret}`).toString('base64url')],
    ['base64 behind one byte', base64(`a${secret}`)],
    ['base64 behind two bytes', base64(`ab${secret}`)],
    ['base64 of credentials', `Basic ${base64(`user:${secret}`)}`],
    ['base64 of a URL', base64(url)],
    ['base64 of JSON', base64(JSON.stringify({ url }))],
    ['base64 behind another character', `x${base64(secret)}`],
    ['base64 of percent-encoded', base64(percent(secret))],
    ['percent-encoded base64', encodeURIComponent(base64(`user:${secret}`))],
    ['hex of base64', hex(base64(secret))],
    ['base64 of hex', base64(hex(secret))],
    ['escapes of JSON, percent-encoded', encodeURIComponent(unicode(secret))],
  ]
}
