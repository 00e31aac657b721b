import { isAddressRange } from '@fairlead/gateway-core/admission/access-rules'
import { rangesIn, trustedProxiesOf } from '@fairlead/gateway-core/http/client-address'
import type { Option } from '@fairlead/gateway-core/protocol/option'

/** Ports and connections. */
export const listeningOptions = {
  host: {
    kind: 'string',
    environment: 'FAIRLEAD_HOST',
    description:
      'IP address or host name to listen on; an address other than loopback makes the gateway reachable from other machines.',
    fallback: '127.0.0.1',
  },
  port: {
    kind: 'integer',
    environment: 'FAIRLEAD_PORT',
    description: 'Port to listen on; 0 = any free port.',
    fallback: 8645,
    minimum: 0,
    maximum: 65_535,
  },
  tlsPort: {
    kind: 'integer',
    environment: 'FAIRLEAD_TLS_PORT',
    description: 'Additional port for HTTP and gRPC over TLS; 0 = any free port.',
    minimum: 0,
    maximum: 65_535,
  },
  tlsCertificateFile: {
    kind: 'string',
    environment: 'FAIRLEAD_TLS_CERTIFICATE_FILE',
    description:
      'PEM file with the certificate of the TLS port and its intermediate certificates; reloaded when it changes.',
  },
  tlsKeyFile: {
    kind: 'string',
    environment: 'FAIRLEAD_TLS_KEY_FILE',
    description: 'PEM file with the private key of the certificate; reloaded when it changes.',
  },
  processes: {
    kind: 'integer',
    environment: 'FAIRLEAD_PROCESSES',
    description:
      'Number of processes on the same ports; 0 = one per CPU core; several processes require PostgreSQL.',
    fallback: 1,
    minimum: 0,
    maximum: 256,
  },
  drainDelayMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_DRAIN_DELAY_MS',
    description:
      'Time for which requests are still served after a shutdown signal while /readyz returns 503, in milliseconds.',
    fallback: 0,
    minimum: 0,
    maximum: 600_000,
  },
  maxConnections: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CONNECTIONS',
    description: 'Maximum number of client connections per process; 0 = unlimited.',
    fallback: 10_000,
    minimum: 0,
    maximum: 1_000_000,
    reload: true,
  },
  maxConnectionsPerAddress: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CONNECTIONS_PER_ADDRESS',
    description:
      'Maximum number of connections per client IP address and process, except for trusted proxies; 0 = unlimited.',
    fallback: 5_000,
    minimum: 0,
    maximum: 1_000_000,
    reload: true,
  },
  maxConnectionRate: {
    kind: 'integer',
    environment: 'FAIRLEAD_MAX_CONNECTION_RATE',
    description:
      'Maximum number of new connections per second, client IP address and process, except for trusted proxies; a burst may be ten times as large; 0 = unlimited.',
    fallback: 500,
    minimum: 0,
    maximum: 1_000_000,
    reload: true,
  },
  keepAliveTimeoutMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_KEEP_ALIVE_TIMEOUT_MS',
    description:
      'Time after which an idle HTTP/1.1 connection of a client is closed, in milliseconds; set it above the idle timeout of the load balancer.',
    fallback: 60_000,
    minimum: 1_000,
    maximum: 3_600_000,
  },
  stallMs: {
    kind: 'integer',
    environment: 'FAIRLEAD_STALL_MS',
    description:
      'Timeout for a client that receives nothing of a response or sends nothing of a request body, in milliseconds.',
    fallback: 30_000,
    minimum: 1_000,
    maximum: 3_600_000,
    reload: true,
  },
  minBytesPerSecond: {
    kind: 'integer',
    environment: 'FAIRLEAD_MIN_BYTES_PER_SECOND',
    description:
      'Minimum average transfer rate of responses and request bodies after stallMs, in bytes per second; 0 = no minimum.',
    fallback: 1_024,
    minimum: 0,
    maximum: 1_073_741_824,
    reload: true,
  },
  publicUrl: {
    kind: 'url',
    environment: 'FAIRLEAD_PUBLIC_URL',
    description: 'Public base URL of the gateway, used for links in responses.',
  },
  requireHttps: {
    kind: 'boolean',
    environment: 'FAIRLEAD_REQUIRE_HTTPS',
    description: 'Reject platform API requests over plain HTTP, except from loopback.',
    fallback: true,
  },
  trustedProxies: {
    kind: 'string',
    environment: 'FAIRLEAD_TRUSTED_PROXIES',
    description:
      'Proxies whose X-Forwarded-For, Forwarded and X-Forwarded-Proto headers are trusted: IP addresses and CIDR ranges, comma-separated, such as 10.0.0.10,2001:db8::/64.',
    form: {
      pattern: { test: isProxyList },
      rule: 'IP addresses or CIDR ranges of the proxies, separated by commas; if every address were trusted, clients could choose their own',
    },
    reload: true,
  },
  builtinHttpServer: {
    kind: 'boolean',
    environment: 'FAIRLEAD_BUILTIN_HTTP_SERVER',
    description: 'Serve JSON-RPC over HTTP/1.1 with the faster built-in HTTP server; false = node:http.',
    fallback: true,
  },
  nodeCorsOrigin: {
    kind: 'string',
    environment: 'FAIRLEAD_NODE_CORS_ORIGIN',
    description: 'Allowed origin of browser requests to nodes (CORS); * = any origin.',
    fallback: '*',
    form: { pattern: /^(\*|https?:\/\/[\w.:[\]-]+)$/, rule: '* or an origin such as https://app.example' },
    reload: true,
  },
  nodeDomain: {
    kind: 'string',
    environment: 'FAIRLEAD_NODE_DOMAIN',
    description:
      'Domain for endpoints of the form <node-id>.<domain>; each accepts only credentials of its node.',
    form: { pattern: /^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*$/, rule: 'a domain name such as nodes.example' },
    reload: true,
  },
} as const satisfies Readonly<Record<string, Option>>

// The first and the last address of each version.
const ends = [
  ['0.0.0.0', '255.255.255.255'],
  ['::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const

function isProxyList(text: string): boolean {
  const trusted = trustedProxiesOf(text)
  if (trusted === undefined || !rangesIn(text).every(isAddressRange)) return false
  return !ends.some(([first, last]) => trusted.has(first) && trusted.has(last))
}
