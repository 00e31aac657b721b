/**
 * Parses the URL of a server.
 *
 * @throws TypeError for any other form; unlike that of `URL`, it does not contain the URL
 */
export function readAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (
    address === undefined ||
    !/^https?:$/.test(address.protocol) ||
    `${address.username}${address.password}${address.search}${address.hash}` !== ''
  ) {
    throw new TypeError('url must be an http or https address without credentials, query and fragment')
  }
  return address
}
