// The process that keeps the shards of this server: started by the server, and again if it ends.
#pragma once

namespace idgen::lease {

// Called when the server starts, with shared_preload_libraries.
void register_worker();

}  // namespace idgen::lease
