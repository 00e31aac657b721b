import { isIPv4, isIPv6 } from 'node:net'

/** An IPv6 address with the IPv4 addresses that it embeds. */
export interface AddressForms {
  /** The address in its canonical text form (RFC 5952), without a zone. */
  readonly address: string
  /** IPv4 address that the whole address represents: mapped (RFC 4291) or translated by NAT64 (RFC 6052). */
  readonly ipv4: string | undefined
  /** IPv4 addresses that a relay, a tunnel or a translator on the path may deliver to. */
  readonly embedded: readonly string[]
}

/**
 * Returns the forms of an IP address: an IPv6 address may lead to an IPv4 address that it embeds.
 *
 * @param address - IPv4 or IPv6; a zone is ignored
 * @see RFC 4291 (mapped, compatible), 2765 (translated), 6052 and 8215 (NAT64), 3056 (6to4), 4380 (Teredo),
 * 5214 (ISATAP)
 */
export function formsOf(address: string): AddressForms {
  const bare = address.replace(/%.*$/, '')
  if (isIPv4(bare) || !isIPv6(bare)) return { address: bare, ipv4: undefined, embedded: [] }
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1)
  const words = wordsOf(canonical)
  const [w0, w1, w2, w3, w4, w5, w6, w7] = words
  const last = ipv4Of(w6, w7)
  const isBelow = (...prefix: readonly number[]) => prefix.every((word, index) => words[index] === word)
  const isIpv4 = isBelow(0, 0, 0, 0, 0, 0xffff) || isBelow(0x64, 0xff9b, 0, 0, 0, 0)
  const embedded: string[] = []
  const isCompatible = isBelow(0, 0, 0, 0, 0, 0) && w6 !== 0
  if (isIpv4 || isCompatible || isBelow(0, 0, 0, 0, 0xffff, 0)) embedded.push(last)
  if (isBelow(0x64, 0xff9b, 1)) {
    // The prefix length depends on the network: 48, 56, 64 or 96 bits. Bits 64 to 71 are not used.
    embedded.push(
      ipv4Of(w3, ((w4 & 0xff) << 8) | (w5 >> 8)),
      ipv4Of(((w3 & 0xff) << 8) | (w4 & 0xff), w5),
      ipv4Of(((w4 & 0xff) << 8) | (w5 >> 8), ((w5 & 0xff) << 8) | (w6 >> 8)),
      last,
    )
  }
  if (w0 === 0x2002) embedded.push(ipv4Of(w1, w2))
  if (w0 === 0x2001 && w1 === 0) embedded.push(ipv4Of(w2, w3), ipv4Of(w6 ^ 0xffff, w7 ^ 0xffff))
  if ((w4 & 0xfcff) === 0 && w5 === 0x5efe) embedded.push(last)
  return { address: canonical, ipv4: isIpv4 ? last : undefined, embedded }
}

type Words = readonly [number, number, number, number, number, number, number, number]

function wordsOf(canonical: string): Words {
  const [head = '', tail] = canonical.split('::')
  const parsed = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16))
  const [before, after] = [parsed(head), parsed(tail ?? '')]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return [...before, ...zeros, ...after] as unknown as Words
}

function ipv4Of(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}
