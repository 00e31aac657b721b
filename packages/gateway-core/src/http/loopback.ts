/** Tells whether an IP address leads back to this machine, also in the form that IPv6 sockets give IPv4 addresses. */
export function isLoopback(address: string): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(address)
}
