import { X509Certificate } from 'node:crypto'
import { createServer } from 'node:net'
import { FairleadError } from '@fairlead/core'
import type { Configuration } from '../configuration/options.ts'
import { isLoopback } from '@fairlead/gateway-core/http/loopback'
import { readCertificate } from '../ports/tls-certificate.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const expiryWarningMs = 14 * 24 * 3_600_000

/** Checks where the gateway listens and which URL it publishes: ports, certificate, public URL. */
export async function examineAddresses(configuration: Configuration): Promise<readonly Finding[]> {
  const { host, port, tlsPort } = configuration
  return [
    await freePort('port', host, port),
    ...(tlsPort === undefined
      ? []
      : [await freePort('TLS port', host, tlsPort), await certificate(configuration)]),
    publicAddress(configuration),
  ]
}

async function freePort(about: string, host: string, port: number): Promise<Finding> {
  if (port === 0) return ok(about, 'any free port')
  const endpoint = `${host}:${port}`
  const code = await listenCode(host, port)
  if (code === undefined) return ok(about, `${endpoint} is free`)
  if (code !== 'EADDRINUSE') {
    return problem(
      about,
      `${endpoint} cannot be opened: ${code}`,
      'set another FAIRLEAD_HOST, or a port above 1023',
    )
  }
  return (await isGateway(host, port))
    ? ok(about, `${endpoint} is in use by a running gateway; stop it before you start another one`)
    : problem(about, `${endpoint} is in use by another program`, 'stop that program, or set another port')
}

function listenCode(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown error'))
    server.listen({ host, port }, () => server.close(() => resolve(undefined)))
  })
}

async function isGateway(host: string, port: number): Promise<boolean> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const response = await fetch(`http://${name}:${port}/v1/organization/`, {
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined)
  return response?.headers.get('www-authenticate')?.includes('realm="platform"') ?? false
}

async function certificate({ tlsCertificateFile, tlsKeyFile }: Configuration): Promise<Finding> {
  const about = 'TLS certificate'
  if (tlsCertificateFile === undefined || tlsKeyFile === undefined) {
    return problem(
      about,
      'no files configured',
      'set FAIRLEAD_TLS_CERTIFICATE_FILE and FAIRLEAD_TLS_KEY_FILE',
    )
  }
  try {
    const { cert } = await readCertificate({ certificateFile: tlsCertificateFile, keyFile: tlsKeyFile })
    const { validToDate } = new X509Certificate(cert)
    const leftMs = validToDate.getTime() - Date.now()
    const seen = `valid until ${validToDate.toISOString().slice(0, 10)}`
    if (leftMs <= 0) return problem(about, seen, 'replace it; a running gateway reloads it automatically')
    return leftMs < expiryWarningMs ? warning(about, seen, 'renew it soon') : ok(about, seen)
  } catch (error) {
    if (!FairleadError.is(error, 'CONFIG_INVALID')) throw error
    return problem(about, 'invalid', `${error.details.option} ${error.details.rule}`)
  }
}

function publicAddress({ host, publicUrl, requireHttps, tlsPort, trustedProxies }: Configuration): Finding {
  const about = 'public address'
  if (isLoopback(host) || host === 'localhost') {
    return ok(about, publicUrl ?? 'this machine only')
  }
  if (publicUrl === undefined) {
    return warning(about, 'links in responses use the Host header of the request', 'set FAIRLEAD_PUBLIC_URL')
  }
  const hasProxy = trustedProxies !== undefined
  if (!publicUrl.startsWith('https:') || (tlsPort === undefined && !hasProxy)) {
    return warning(
      about,
      'keys and tokens are sent in plain text',
      'use TLS: FAIRLEAD_TLS_PORT, or a proxy with FAIRLEAD_TRUSTED_PROXIES',
    )
  }
  return requireHttps
    ? ok(about, publicUrl)
    : warning(about, `${publicUrl}, plain HTTP is also accepted`, 'set FAIRLEAD_REQUIRE_HTTPS=true')
}
