# In docs/clients/ruby.md:
class CreatePhotos < ActiveRecord::Migration[7.2]
  def change
    enable_extension 'idgen'
    create_table :photos, id: :bigint, default: -> { 'next_id()' } do |t|
      t.text :title
    end
    create_table :comments, id: :bigint, default: -> { 'next_id()' } do |t|
      t.references :photo, type: :bigint, foreign_key: true
    end
  end
end
# End.
