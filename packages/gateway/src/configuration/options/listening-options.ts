import { isAddressRange } from '@fairlead/gateway-core/admission/access-rules'
import { rangesIn } from '@fairlead/gateway-core/http/client-address'
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
  trustProxy: {
    kind: 'boolean',
    environment: 'FAIRLEAD_TRUST_PROXY',
    description:
      'Trust the headers X-Forwarded-For and X-Forwarded-Proto of proxies on loopback and in private networks.',
    fallback: false,
    reload: true,
  },
  trustedProxies: {
    kind: 'string',
    environment: 'FAIRLEAD_TRUSTED_PROXIES',
    description:
      'Trusted proxies instead of those of trustProxy: IP addresses and CIDR ranges, comma-separated, such as 10.0.0.0/8,2001:db8::/32.',
    form: {
      pattern: { test: (text) => rangesIn(text).length > 0 && rangesIn(text).every(isAddressRange) },
      rule: 'IP addresses or CIDR ranges, separated by commas',
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
