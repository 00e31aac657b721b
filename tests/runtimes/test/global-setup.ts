export { setup } from '@fairlead/e2e-tests/one-gateway'
