import { FairleadError } from '@fairlead/core'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { guardedInterval } from '@fairlead/runtime'

/** Paths of a certificate and its key. */
export interface CertificateFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

/** A certificate with its key, both PEM. */
export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

const checkMs = 5_000

/**
 * Reads a certificate and its key.
 *
 * @throws FairleadError `CONFIG_INVALID` when a file cannot be read, or the two do not match; the message holds neither
 */
export async function readCertificate({ certificateFile, keyFile }: CertificateFiles): Promise<Certificate> {
  const cert = await contentOf('FAIRLEAD_TLS_CERTIFICATE_FILE', certificateFile)
  const key = await contentOf('FAIRLEAD_TLS_KEY_FILE', keyFile)
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    const { code = 'the key does not match' } = error as NodeJS.ErrnoException
    throw new FairleadError('CONFIG_INVALID', {
      option: 'FAIRLEAD_TLS_CERTIFICATE_FILE and FAIRLEAD_TLS_KEY_FILE',
      rule: `must be a certificate and its private key in PEM: ${code}`,
    })
  }
  return { cert, key }
}

/**
 * Checks the files every five seconds, which also detects a replacement by a link, and passes a new pair to `use`. A
 * pair that does not match, as during a replacement, is logged once, and the previous pair stays in use.
 *
 * @returns a function that stops the checks
 */
export function followCertificate(
  files: CertificateFiles,
  current: Certificate,
  use: (certificate: Certificate) => void,
  log: Logger,
  everyMs = checkMs,
): () => void {
  let latest: Certificate | undefined = current
  let isChecking = false
  const check = async () => {
    const next = await readCertificate(files)
    if (latest?.cert.equals(next.cert) && latest.key.equals(next.key)) return
    latest = next
    use(next)
    log.info('the certificate of the TLS port was reloaded')
  }
  const timer = guardedInterval(() => {
    if (isChecking) return
    isChecking = true
    check()
      .catch((error: unknown) => {
        if (latest)
          log.error({ reason: (error as Error).message }, 'the certificate of the TLS port cannot be used')
        latest = undefined
      })
      .finally(() => (isChecking = false))
  }, everyMs).unref()
  return () => clearInterval(timer)
}

async function contentOf(option: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    const rule = `must be a readable file: ${(error as NodeJS.ErrnoException).code}`
    throw new FairleadError('CONFIG_INVALID', { option, rule })
  }
}
