/**
 * Parses the URL of a server.
 *
 * @throws TypeError for any other form; unlike that of `URL`, it does not contain the URL
 */
export function parseServerUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (
    parsed === undefined ||
    !/^https?:$/.test(parsed.protocol) ||
    `${parsed.username}${parsed.password}${parsed.search}${parsed.hash}` !== ''
  ) {
    throw new TypeError('url must be an http or https address without credentials, query and fragment')
  }
  return parsed
}
