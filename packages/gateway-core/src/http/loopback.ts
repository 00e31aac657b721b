/** Whether an IP address is a loopback address, including IPv4-mapped IPv6 addresses. */
export function isLoopback(address: string): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(address)
}
