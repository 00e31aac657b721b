import type { ApiFormat } from '@fairlead/gateway-core/rest/error-body'

/** Errors are `{"code", "message"}`, with the `failures` of a batch. */
export const beaconFormat: ApiFormat = {
  writeError: ({ status, code = status, message, failures }) => JSON.stringify({ code, message, failures }),
  headerPrefix: 'eth-',
}
