import type { ApiFormat } from '@fairlead/gateway-core/rest/error-body'

/** Errors are `{"ok", "error", "code"}`; the code is the HTTP status. */
export const jettonFormat: ApiFormat = {
  writeError: ({ status, message }) => JSON.stringify({ ok: false, error: message, code: status }),
}
