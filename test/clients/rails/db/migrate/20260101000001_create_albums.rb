# In docs/clients/ruby.md:
class CreateAlbums < ActiveRecord::Migration[7.2]
  def change
    enable_extension 'idgen_kinds' # requires idgen
    create_table :albums, id: :id64, default: -> { 'next_id()' } do |t|
      t.text :title
      t.id64 :pictures, array: true, default: []
    end
    create_table :visits, id: :ulid, default: -> { 'next_ulid()' } do |t|
      t.references :album, type: :id64, foreign_key: true
      t.ulid :before, array: true
    end
  end
end
# End.
