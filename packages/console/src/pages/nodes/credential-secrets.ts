import type { components } from '@fairlead/platform-client'
import type { Secret } from '../../components/secret-dialog.tsx'

/** The labels of the URLs of a node. */
export const addressLabels: Readonly<Record<keyof components['schemas']['NodeDetails'], string>> = {
  https: 'HTTPS',
  wss: 'WebSocket',
  beacon: 'Beacon node API',
  api_v2: 'TON API v2',
  api_v3: 'TON API v3',
  grpc: 'gRPC',
}

/** The URLs of a node with their labels. */
export function addressSecrets(details: components['schemas']['NodeDetails']): readonly Secret[] {
  return Object.entries(addressLabels).flatMap(([name, label]) => {
    const value = Object.entries(details).find(([key]) => key === name)?.[1]
    return value === undefined ? [] : [{ label, value }]
  })
}

/** The secrets of a credential that was just created or revealed. */
export function credentialSecrets({
  token,
  username,
  password,
}: components['schemas']['NodeSecret']): readonly Secret[] {
  return [
    ...(token === undefined ? [] : [{ label: 'Token', value: token }]),
    ...(username == null || password === undefined ? [] : [{ label: 'Username', value: username }]),
    ...(password === undefined ? [] : [{ label: 'Password', value: password }]),
  ]
}
