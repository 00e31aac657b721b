/** Whether an IP address is a loopback address, including IPv4-mapped IPv6 addresses. */
export function isLoopback(address: string): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(address)
}

/**
 * Whether a Host header names this machine: `localhost` or a loopback address. A web page can make a browser on this
 * machine connect to loopback under the page's own name (DNS rebinding); only this header shows it.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host ?? '')
}
