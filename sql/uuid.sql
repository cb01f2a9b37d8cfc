-- What UUIDs say.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
\pset null '(null)'

-- Time and version: the examples of RFC 9562, nil, max, other variants
SELECT u, uuid_version_number(u), uuid_time(u)
  FROM unnest('{C232AB00-9414-11EC-B3C8-9F6BDECED846, 5df41881-3aed-3515-88a7-2f4a814cf09e, 919108f7-52d1-4320-9bac-f847db4148a8,
                2ed6657d-e927-568b-95e1-2665a8aea6a2, 1EC9414C-232A-6B00-B3C8-9F6BDECED846, 017F22E2-79B0-7CC3-98C4-DC0C0C07398F,
                2489E9AD-2EE2-8E00-8EC9-32D5F69181C0, 00000000-0000-0000-0000-000000000000, ffffffff-ffff-ffff-ffff-ffffffffffff,
                017F22E2-79B0-7CC3-18C4-DC0C0C07398F, 017F22E2-79B0-7CC3-C8C4-DC0C0C07398F}'::uuid[]) AS u;
-- The first and the last instant of each version that has a time
SELECT u, uuid_time(u)
  FROM unnest('{00000000-0000-1000-8000-000000000000, ffffffff-ffff-1fff-bfff-ffffffffffff, 00000000-0000-6000-8000-000000000000,
                ffffffff-ffff-6fff-bfff-ffffffffffff, 00000000-0000-7000-8000-000000000000, ffffffff-ffff-7fff-bfff-ffffffffffff}'::uuid[]) AS u;
